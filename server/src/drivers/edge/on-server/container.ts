import { setTimeout as sleep } from 'node:timers/promises';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError, goneOrGoing, undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import type { ContainerInfo, Labels } from '../../runtime/docker/engine/types.ts';
import { instanceLabel, roleLabel, specLabel } from '../../runtime/docker/labels.ts';
import { type RestartPolicy, restartAlways, restartNever } from '../../runtime/docker/release/restart-policy.ts';
import { edgeContainerName } from './container-body.ts';
import { packEntries } from './entries.ts';
import { dataFolder } from './container-paths.ts';

const stopSeconds = 12;
const marginMs = 30_000;
const sendMs = 600_000;

/** The container of this instance's edge, identified by its name and labels. */
export class EdgeContainer {
  readonly #engine: EngineClient;
  readonly #instanceId: string;
  readonly name: string;

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
    this.name = edgeContainerName(instanceId);
  }

  async find(name = this.name): Promise<ContainerInfo | undefined> {
    const path = `/containers/${name}/json`;
    const info = await undefinedIfGone(this.#engine.json<ContainerInfo>({ method: 'GET', path }));
    if (info && !this.#isOurs(info.Config.Labels))
      throw new Error(`the server has a container ${name} of another program; rename or remove it`);
    return info;
  }

  /** Returns the command of the container's keeper, which may be an earlier version. Empty if there is no
   * container. */
  async command(): Promise<string[]> {
    return (await this.find())?.Config.Entrypoint ?? [];
  }

  /** Creates the new container completely before it stops the old one. Does not start it; returns when the old one
   * was stopped. */
  async replace(body: object, content: WrittenEntry[]): Promise<{ stoppedAt: number | null }> {
    const draft = `${this.name}-next`;
    await this.#remove(draft);
    await this.#post('/containers/create', { name: draft }, body);
    await this.put(content, draft);
    const old = await this.find();
    if (old && isMadeFrom(old, body)) {
      // Another replica of the service was faster.
      await this.#remove(draft);
      return { stoppedAt: null };
    }
    const stoppedAt = old ? Date.now() : null;
    if (old) await this.stop();
    await this.#remove(this.name);
    await this.#post(`/containers/${draft}/rename`, { name: this.name });
    return { stoppedAt };
  }

  /** Does nothing if it runs. */
  async start(): Promise<void> {
    await this.#restartBy(restartAlways);
    await this.#post(`/containers/${this.name}/start`);
  }

  /** Stops it after requests in flight. It stays stopped, even if the engine restarts. */
  async stop(): Promise<void> {
    await undefinedIfGone(this.#restartBy(restartNever));
    const call = { method: 'POST', path: `/containers/${this.name}/stop`, query: { t: stopSeconds } } as const;
    await undefinedIfGone(this.#engine.json({ ...call, deadlineMs: stopSeconds * 1000 + marginMs }));
  }

  /** Writes into its volume, whether it runs or not. */
  async put(entries: Iterable<WrittenEntry> | AsyncIterable<WrittenEntry>, name = this.name): Promise<void> {
    const body = packEntries(entries);
    const call = { method: 'PUT', path: `/containers/${name}/archive`, query: { path: dataFolder }, body } as const;
    const headers = { 'content-type': 'application/x-tar' };
    await this.#engine.json({ ...call, headers, deadlineMs: sendMs });
  }

  /** Removes the container and its volume. */
  async remove(): Promise<void> {
    await this.#remove(this.name);
    await this.#remove(`${this.name}-next`);
    const path = `/volumes/${this.name}`;
    const volume = await undefinedIfGone(this.#engine.json<{ Labels: Labels | null }>({ method: 'GET', path }));
    if (volume && this.#isOurs(volume.Labels)) await undefinedIfGone(this.#engine.json({ method: 'DELETE', path }));
  }

  async #remove(name: string): Promise<void> {
    const found = await this.find(name);
    if (!found) return;
    const call = { method: 'DELETE', path: `/containers/${found.Id}`, query: { force: true, v: false } } as const;
    await undefinedIfGone(this.#engine.json({ ...call, deadlineMs: marginMs }), goneOrGoing);
    for (const giveUp = Date.now() + marginMs; await this.find(name); await sleep(50))
      if (Date.now() > giveUp) throw new Error(`the container ${name} is not removed`);
  }

  #restartBy(policy: RestartPolicy): Promise<void> {
    return this.#post(`/containers/${this.name}/update`, {}, { RestartPolicy: policy });
  }

  #post(path: string, query: Record<string, string> = {}, body?: object): Promise<void> {
    return this.#engine.json({ method: 'POST', path, query, ...(body && { body }) });
  }

  #isOurs = (labels: Labels | null): boolean =>
    labels?.[instanceLabel] === this.#instanceId && labels[roleLabel] === 'edge';
}

export const containerSpecOf = (body: object): string => (body as { Labels: Labels }).Labels[specLabel]!;
export const isMadeFrom = ({ Config }: ContainerInfo, body: object): boolean =>
  Config.Labels?.[specLabel] === containerSpecOf(body);

/** Whether the engine reports that the container is missing, not running, or that its name is taken. */
export const isGoneOrRenamed = (error: unknown): boolean =>
  error instanceof EngineError && goneOrGoing.includes(error.status);
