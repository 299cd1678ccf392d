import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { Readable } from 'node:stream';
import { writeTar } from '../../../../lib/archive/writer.ts';
import { limitConcurrency } from '../../../../lib/concurrency.ts';
import { treeEntries } from '../../../../lib/tree-entries.ts';
import { replaceFileSingleWriter } from '../../records/replace-file.ts';
import type { ImageRelease, ServiceMount } from '../../runtime.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import type { VolumeInfo } from '../engine/types.ts';
import { withIdle } from '../idle-container.ts';
import { instanceLabel, projectLabels } from '../labels.ts';
import { shortHash } from '../readable-names.ts';
import { removeAbandonedCopies } from './abandoned-copies.ts';
import { filesLabel, filesPrefix, shippedNotePath, removeUnusedFiles, volumeIn } from './unused-files.ts';

const place = '/mooring-files';
/** Distinguishes a volume from an earlier one of the same name. The engine's creation time changes with the
 * content. */
const madeLabel = 'mooring.made';

type Place = VolumeInfo & { Mountpoint: string };
/** The owner, and an image that the engine has. */
type For = Pick<ImageRelease, 'imageId' | 'owner'>;

/** Source files for containers on another server: each tree is in a volume of its own, so the server needs only its
 * engine. Trees below `root` are sent when a container is to mount them. */
export class ShippedFiles {
  readonly #engine: EngineClient;
  readonly #instanceId: string;
  readonly #root: string;
  /** Serialized, so that two services that mount the same tree send it once. */
  readonly #alone = limitConcurrency(1);

  constructor(engine: EngineClient, instanceId: string, root: string) {
    [this.#engine, this.#instanceId, this.#root] = [engine, instanceId, root];
  }

  /** Returns the release with the paths of the other server. */
  async placed(spec: ImageRelease): Promise<ImageRelease> {
    const { service } = spec;
    const mounts: ServiceMount[] = [];
    for (const mount of service.mounts)
      mounts.push(mount.type === 'bind' && this.#isOurs(mount.path) ? await this.#place(spec, mount) : mount);
    return { ...spec, service: { ...service, mounts } };
  }

  /** Updates writable folders that the source has changed since, before a container that mounts these paths
   * restarts. */
  async renew(whose: For, paths: readonly string[]): Promise<void> {
    for (const name of new Set(paths.flatMap((path) => volumeIn(path) ?? []))) {
      const key = (await this.#find(name))?.Labels?.[filesLabel];
      const path = key === undefined ? undefined : join(this.#root, key);
      if (path !== undefined && this.#isOurs(path) && existsSync(path))
        await this.#alone(() => this.#ship(whose, path));
    }
  }

  /** Removes volumes that no container mounts and nothing kept here needs. Returns their names. */
  removeUnused(now = Date.now()): Promise<string[]> {
    return this.#alone(async () => {
      await removeAbandonedCopies(this.#engine, this.#instanceId, now);
      return removeUnusedFiles(this.#engine, this.#instanceId, this.#root);
    });
  }

  #isOurs = (path: string): boolean => {
    const inside = relative(this.#root, path);
    return inside !== '' && !inside.startsWith('..') && !posix.isAbsolute(inside);
  };

  async #place<T extends { path: string }>(spec: For, mount: T): Promise<T> {
    const volume = await this.#alone(() => this.#ship(spec, mount.path));
    return { ...mount, path: posix.join(volume.Mountpoint, 'content') };
  }

  /** Skips a tree that is already there: an immutable one for good, a writable one while it is unchanged here. */
  async #ship(spec: For, path: string): Promise<Place> {
    const key = relative(this.#root, path);
    const name = `${filesPrefix}${shortHash(this.#instanceId, key)}`;
    const volume = (await this.#find(name)) ?? (await this.#make(spec, name, key));
    const note = shippedNotePath(this.#root, name);
    const [made, given] = [volume.Labels?.[madeLabel] ?? '', givenOf(path)];
    const shipped = shippedIn(note);
    if (shipped[made] === given) return volume;
    await this.#copy(spec, name, path);
    mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
    replaceFileSingleWriter(note, JSON.stringify({ ...shipped, [made]: given }));
    return volume;
  }

  /** A container that is never started gives access to the volume. */
  async #copy({ imageId, owner }: For, volume: string, path: string): Promise<void> {
    const labels = { [instanceLabel]: this.#instanceId, [filesLabel]: owner.projectId };
    await withIdle(this.#engine, { image: imageId, labels, volume: { id: volume, place } }, (id) =>
      this.#engine.json({
        method: 'PUT',
        path: `/containers/${id}/archive`,
        query: { path: place },
        headers: { 'content-type': 'application/x-tar' },
        body: Readable.from(writeTar(treeEntries(path, 'content')), { objectMode: false }),
        deadlineMs: 600_000,
      }),
    );
  }

  async #make({ owner }: For, name: string, key: string): Promise<Place> {
    const Labels = { ...projectLabels(owner), [filesLabel]: key, [madeLabel]: randomUUID() };
    return this.#engine.json<Place>({ method: 'POST', path: '/volumes/create', body: { Name: name, Labels } });
  }

  #find(name: string): Promise<Place | undefined> {
    return undefinedIfGone(this.#engine.json<Place>({ method: 'GET', path: `/volumes/${name}` }));
  }
}

/** Returns the last state of a tree by volume: each server of a cluster that it was deployed through has one. */
function shippedIn(note: string): Record<string, string> {
  if (!existsSync(note)) return {};
  // Earlier versions knew one volume.
  const stored = JSON.parse(readFileSync(note, 'utf8')) as Record<string, string> | [made: string, given: string];
  return Array.isArray(stored) ? { [stored[0]]: stored[1] } : stored;
}

/** Identifies the state of a tree: immutable ones have a digest in their path, a writable folder has a note of its
 * last content. */
function givenOf(path: string): string {
  const note = join(dirname(path), `@last-${basename(path)}`);
  return createHash('sha256')
    .update(path)
    .update(existsSync(note) ? readFileSync(note) : '')
    .digest('hex');
}
