import { createHash } from 'node:crypto';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageRelease, Owner, ServiceMount } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../docker/engine/errors.ts';
import type { Labels } from '../docker/engine/types.ts';
import { instanceFilter, projectLabels, roleLabel, swarmRole } from '../docker/labels.ts';
import type { SecretUse } from './types.ts';

/** Swarm refuses larger secrets, and empty ones. */
const mostBytes = 500 * 1024 - 1;

type SecretInfo = { ID: string; Spec: { Name: string; Labels: Labels | null } };
type Content = { data: Buffer; file: SecretUse['File'] };

/** Files of sources as secrets of the Swarm, which reach every node. Each is named by its content and never changed.
 * Never returns, and so never removes, a foreign one. */
export class OwnSecrets {
  readonly #engine: EngineClient;
  readonly #instanceId: string;
  readonly #files: string | undefined;

  /** `files` contains the files of sources, in a folder for each project. */
  constructor(engine: EngineClient, instanceId: string, files: string | undefined) {
    [this.#engine, this.#instanceId, this.#files] = [engine, instanceId, files];
  }

  /** Creates the secrets of a release. Returns them with the mounts that are left. A release that mounts anything else
   * from this machine keeps its mounts: only this machine can run it. */
  async ensure({
    owner,
    service: { mounts },
  }: ImageRelease): Promise<{ secrets: SecretUse[]; mounts: ServiceMount[] }> {
    const binds = mounts.filter((mount) => mount.type === 'bind');
    const contents = (await Promise.all(binds.map((mount) => this.#contentOf(owner, mount)))).flatMap(
      (each) => each ?? [],
    );
    if (!contents.length || contents.length < binds.length) return { secrets: [], mounts };
    const known = new Map((await this.#list()).map(({ ID, Spec }) => [Spec.Name, ID]));
    const secrets: SecretUse[] = [];
    for (const { data, file } of contents) {
      const name = this.#nameOf(owner, data);
      const id = known.get(name) ?? (await this.#create(owner, name, data));
      known.set(name, id);
      secrets.push({ SecretID: id, SecretName: name, File: file });
    }
    return { secrets, mounts: mounts.filter(({ type }) => type !== 'bind') };
  }

  /** Removes our secrets that no service uses. */
  async sweep(used: ReadonlySet<string>): Promise<void> {
    for (const { ID } of await this.#list())
      if (!used.has(ID))
        try {
          await undefinedIfGone(this.#engine.json({ method: 'DELETE', path: `/secrets/${ID}` }));
        } catch (error) {
          // A service has just been created.
          if (!(error instanceof EngineError) || !/in use/.test(error.message)) throw error;
        }
  }

  /** Undefined if it cannot be a secret. */
  async #contentOf({ projectId }: Owner, mount: ServiceMount & { type: 'bind' }): Promise<Content | undefined> {
    const { path, target, isReadOnly, propagation } = mount;
    if (this.#files === undefined || !path.startsWith(join(this.#files, projectId, '/'))) return undefined;
    if (!isReadOnly || propagation !== null) return undefined;
    const stats = await lstat(path);
    if (!stats.isFile() || stats.size < 1 || stats.size > mostBytes) return undefined;
    const { uid, gid, mode } = stats;
    const file = { Name: target, UID: String(uid), GID: String(gid), Mode: mode & 0o777 };
    return { data: await readFile(path), file };
  }

  #nameOf({ projectId }: Owner, data: Buffer): string {
    const hash = createHash('sha256')
      .update(JSON.stringify([this.#instanceId, projectId]))
      .update(data);
    return `mooring-${hash.digest('hex').slice(0, 40)}`;
  }

  async #create(owner: Owner, Name: string, data: Buffer): Promise<string> {
    const body = {
      Name,
      Labels: { ...projectLabels(owner), [roleLabel]: swarmRole },
      Data: data.toString('base64'),
    };
    try {
      return (await this.#engine.json<{ ID: string }>({ method: 'POST', path: '/secrets/create', body })).ID;
    } catch (error) {
      if (!(error instanceof EngineError) || error.status !== 409) throw error;
      // Another process created it first.
      const other = (await this.#list()).find(({ Spec }) => Spec.Name === Name);
      if (!other) throw error;
      return other.ID;
    }
  }

  async #list(): Promise<SecretInfo[]> {
    const label = [...instanceFilter(this.#instanceId).label, `${roleLabel}=${swarmRole}`];
    return this.#engine.json({ method: 'GET', path: '/secrets', query: { filters: { label } } });
  }
}
