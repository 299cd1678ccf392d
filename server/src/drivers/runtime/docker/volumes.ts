import { posix } from 'node:path';
import { Readable } from 'node:stream';
import { writeTar, type WrittenEntry } from '../../../lib/archive/writer.ts';
import type { Owner, ServiceOptions, StackVolume, StackVolumeInfo } from '../runtime.ts';
import type { VolumeDefinition } from '../container-data.ts';
import { VolumeInUseError } from '../errors.ts';
import type { EngineClient } from './engine/client.ts';
import { EngineError, undefinedIfGone } from './engine/errors.ts';
import type { ImageInfo, VolumeInfo } from './engine/types.ts';
import { createIdle, removeIdle, withIdle } from './idle-container.ts';
import {
  copyLabel,
  deploymentLabel,
  instanceLabel,
  labelsOfUser,
  type LabelFilter,
  organizationLabel,
  instanceFilter,
  projectLabel,
  projectLabels,
  serviceLabel,
  stackLabel,
  volumeLabel,
} from './labels.ts';
import { readableName, shortHash } from './readable-names.ts';

const place = '/mooring-volume';
export const emptyImage = 'mooring-empty:1';
/** The engine takes long to measure large volumes. */
const countMs = 5_000;
const copyMs = 3_600_000;

/** Mount path, and the image of the container. */
type At = { path: string; image: ImageInfo };

/** The volumes of stacks. Only the remove methods ever remove one. */
export class StackVolumes {
  readonly #engine: EngineClient;
  readonly #instanceId: string;

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  /** Creates the volume if needed and returns its engine name. An anonymous one belongs to the service and the
   * path. */
  async ensure(
    owner: Owner,
    { stack, isApp }: ServiceOptions,
    volume: StackVolume,
    { path, image }: At,
  ): Promise<string> {
    if (volume.externalName !== null) return this.#external(owner, volume.externalName);
    const id = volumeId(owner, stack, volume.name, path);
    const found = await this.#find(id);
    if (found) {
      if (this.#isOf(owner, found)) return id;
      throw new Error(`the volume ${id} was not created for this project`);
    }
    const body = {
      Name: id,
      ...(volume.driver !== null && { Driver: volume.driver }),
      DriverOpts: volume.driverOptions,
      Labels: {
        ...labelsOfUser(volume.labels),
        ...projectLabels(owner),
        [stackLabel]: stack,
        [volumeLabel]: volume.name ?? path,
        ...(volume.name === null && { [serviceLabel]: owner.service }),
      },
    };
    await this.#engine.json({ method: 'POST', path: '/volumes/create', body });
    if (isApp) await this.#openToAll(id, path, image);
    return id;
  }

  /** The engine gives a new volume the owner and mode of the image's folder. Without that folder, an app that does
   * not run as root could not write there. */
  async #openToAll(id: string, path: string, { Id }: ImageInfo): Promise<void> {
    await this.#idle(Id, { id, place }, async (container) => {
      const at = `/containers/${container}/archive`;
      const found = await undefinedIfGone(this.#engine.open({ method: 'HEAD', path: at, query: { path } }));
      found?.destroy();
      if (found) return;
      await this.#put(container, nothing());
    });
  }

  #idle<T>(image: string, volume: { id: string; place: string }, task: (id: string) => Promise<T>): Promise<T> {
    return withIdle(this.#engine, { image, labels: { [copyLabel]: this.#instanceId }, volume }, task);
  }

  async list(narrow: LabelFilter): Promise<StackVolumeInfo[]> {
    return (await this.#list(narrow)).flatMap(({ Name, CreatedAt, Mountpoint, Labels }) => {
      const {
        [stackLabel]: stack,
        [serviceLabel]: service,
        [volumeLabel]: said,
        [deploymentLabel]: made,
      } = Labels ?? {};
      // Files sent to another server are in volumes too.
      if (stack === undefined && made === undefined) return [];
      return {
        id: Name,
        stack: stack ?? null,
        name: service === undefined ? (said ?? null) : null,
        service: service ?? null,
        path: service === undefined ? null : (said ?? null),
        deploymentId: stack === undefined ? (made ?? null) : null,
        folder: Mountpoint ?? null,
        createdAt: CreatedAt ? Date.parse(CreatedAt) : null,
      };
    });
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const call = { method: 'GET', path: '/system/df', query: { type: 'volume' }, deadlineMs: countMs } as const;
    type Counted = { Volumes: { Name: string; UsageData?: { Size: number } | null }[] | null };
    const { Volumes } = await this.#engine.json<Counted>(call);
    const counted = (Volumes ?? []).flatMap(({ Name, UsageData }) =>
      UsageData && UsageData.Size >= 0 ? [[Name, UsageData.Size] as const] : [],
    );
    return new Map(counted);
  }

  async make(owner: Owner, stack: string, name: string, content: AsyncIterable<WrittenEntry>): Promise<void> {
    const id = volumeId(owner, stack, name, '');
    const Labels = { ...projectLabels(owner), [stackLabel]: stack, [volumeLabel]: name };
    await this.#engine.json({ method: 'POST', path: '/volumes/create', body: { Name: id, Labels } });
    try {
      await this.#idle(await this.#emptyImage(), { id, place }, (container) => this.#put(container, content));
    } catch (error) {
      // An incomplete volume would be taken for a complete one.
      await this.removeOne(id);
      throw error;
    }
  }

  /** The container is removed once the tar is read. */
  async read(id: string, path: string): Promise<Readable | undefined> {
    const found = await this.#find(id);
    if (!found || !this.#mayUse(found)) return undefined;
    const labels = { [copyLabel]: this.#instanceId };
    const image = await this.#emptyImage();
    const container = await createIdle(this.#engine, { image, labels, volume: { id, place } });
    // A container that stays is removed with other abandoned copies.
    const end = () => void removeIdle(this.#engine, container).catch(() => {});
    try {
      const query = { path: posix.join(place, path) };
      const call = { method: 'GET', path: `/containers/${container}/archive`, query } as const;
      const answer = await undefinedIfGone(this.#engine.open(call));
      if (answer) return answer.once('close', end);
    } catch (error) {
      end();
      throw error;
    }
    end();
    return undefined;
  }

  async definition(id: string): Promise<VolumeDefinition | undefined> {
    const found = await this.#find(id);
    if (!found || !this.#mayUse(found)) return undefined;
    return { id, driver: found.Driver ?? null, options: found.Options ?? {}, labels: found.Labels ?? {} };
  }

  /** Replaces everything in a volume that no container uses. The engine cannot delete files, so the volume is created
   * anew with the same name. */
  async refill({ id, driver, options, labels }: VolumeDefinition, content: AsyncIterable<WrittenEntry>): Promise<void> {
    const image = await this.#emptyImage();
    const found = await this.#find(id);
    if (found && !this.#mayUse(found)) throw new Error(`the volume ${id} is not ours`);
    await this.#endCopies(id);
    if (found && !(await this.#remove(id))) throw new VolumeInUseError(id);
    const body = { Name: id, ...(driver && { Driver: driver }), DriverOpts: options, Labels: labels };
    await this.#engine.json({ method: 'POST', path: '/volumes/create', body });
    await this.#idle(image, { id, place }, (container) => this.#put(container, content));
  }

  /** A killed process leaves its containers for copying, which use the volume. */
  async #endCopies(id: string): Promise<void> {
    const filters = { volume: [id], label: [`${copyLabel}=${this.#instanceId}`], status: ['created'] };
    const query = { all: true, filters };
    const found = await this.#engine.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query });
    for (const { Id } of found) await removeIdle(this.#engine, Id);
  }

  async removeOne(id: string): Promise<boolean> {
    const found = await this.#find(id);
    return found?.Labels?.[instanceLabel] === this.#instanceId ? this.#remove(id) : true;
  }

  /** Returns false if a container uses it. */
  async #remove(id: string): Promise<boolean> {
    try {
      await undefinedIfGone(this.#engine.json({ method: 'DELETE', path: `/volumes/${encodeURIComponent(id)}` }));
      return true;
    } catch (error) {
      if (error instanceof EngineError && error.status === 409) return false;
      throw error;
    }
  }

  /** Access to a volume needs some image, even an empty one. */
  async #emptyImage(): Promise<string> {
    const found = await undefinedIfGone(this.#engine.json({ method: 'GET', path: `/images/${emptyImage}/json` }));
    if (found) return emptyImage;
    const [repo, tag] = emptyImage.split(':');
    await this.#engine.json({
      method: 'POST',
      path: '/images/create',
      query: { fromSrc: '-', repo: repo!, tag: tag! },
      headers: { 'content-type': 'application/x-tar' },
      body: Readable.from([Buffer.alloc(1024)], { objectMode: false }),
    });
    return emptyImage;
  }

  /** Writes into the volume and makes it writable for every user. */
  async #put(container: string, content: AsyncIterable<WrittenEntry>): Promise<void> {
    await this.#engine.json({
      method: 'PUT',
      path: `/containers/${container}/archive`,
      query: { path: '/' },
      headers: { 'content-type': 'application/x-tar' },
      body: Readable.from(writeTar(inPlace(content)), { objectMode: false }),
      deadlineMs: copyMs,
    });
  }

  /** Includes volumes that app images declare. */
  async remove(projectId: string): Promise<string[]> {
    const removed: string[] = [];
    for (const { Name } of await this.#list({ project: projectId })) {
      await undefinedIfGone(this.#engine.json({ method: 'DELETE', path: `/volumes/${Name}` }));
      removed.push(Name);
    }
    return removed;
  }

  async #external(owner: Owner, name: string): Promise<string> {
    const found = await this.#find(name);
    if (!found) throw new Error(`there is no volume ${name} in the engine`);
    if (found.Labels?.[instanceLabel] !== undefined && !this.#isOf(owner, found))
      throw new Error(`the volume ${name} belongs to another project`);
    return name;
  }

  /** A volume without our labels was there before, and an adopted or trusted stack uses it. */
  #mayUse({ Labels }: VolumeInfo): boolean {
    const instance = Labels?.[instanceLabel];
    return instance === undefined || instance === this.#instanceId;
  }

  /** Project ids may be imported: a deleted one may come back in another organization. */
  #isOf({ organizationId, projectId }: Owner, { Labels }: VolumeInfo): boolean {
    const { [instanceLabel]: instance, [organizationLabel]: organization, [projectLabel]: project } = Labels ?? {};
    return instance === this.#instanceId && organization === organizationId && project === projectId;
  }

  #find(name: string): Promise<VolumeInfo | undefined> {
    return undefinedIfGone(
      this.#engine.json<VolumeInfo>({ method: 'GET', path: `/volumes/${encodeURIComponent(name)}` }),
    );
  }

  async #list(narrow: LabelFilter): Promise<VolumeInfo[]> {
    const query = { filters: instanceFilter(this.#instanceId, narrow) };
    const { Volumes } = await this.#engine.json<{ Volumes: VolumeInfo[] | null }>({
      method: 'GET',
      path: '/volumes',
      query,
    });
    return Volumes ?? [];
  }
}

function volumeId({ instanceId, service }: Owner, stack: string, name: string | null, path: string): string {
  const hash = name === null ? shortHash(instanceId, stack, service, path) : shortHash(instanceId, stack, name);
  return `mooring-${hash}-${readableName(name ?? `${service}${path}`)}`;
}

async function* inPlace(content: AsyncIterable<WrittenEntry>): AsyncGenerator<WrittenEntry> {
  const top = place.slice(1);
  const facts = { mode: 0o777, size: 0, modifiedMs: Date.now(), target: '', content: nothing };
  yield { path: top, type: 'folder', ...facts };
  for await (const entry of content) {
    const inside = (path: string) => `${top}/${path}`;
    if (entry.path === '.') yield { ...entry, path: top };
    else
      yield { ...entry, path: inside(entry.path), ...(entry.type === 'hardlink' && { target: inside(entry.target) }) };
  }
}

async function* nothing(): AsyncGenerator<never> {}
