import { setTimeout as sleep } from 'node:timers/promises';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { isReplica } from '../replicas.ts';
import type { Owner } from '../runtime.ts';
import type { EngineClient } from './engine/client.ts';
import { EngineError, goneOrGoing, undefinedIfGone } from './engine/errors.ts';
import type { ContainerInfo } from './engine/types.ts';
import { type LabelFilter, instanceFilter, ownerInLabels } from './labels.ts';
import { type RestartPolicy, restartNever, wantedRestart } from './release/restart-policy.ts';

/** A container with our labels and our instance id. Only obtained through `OwnContainers`. */
export interface OwnContainer {
  info: ContainerInfo;
  owner: Owner;
}

/** Extra time for kill and unmount on a slow machine. */
const marginMs = 30_000;
/** More than a machine can run; each one is inspected. */
const mostContainers = 20_000;
const mostTries = 50;
const betweenTriesMs = 100;

const isEndingNow = (error: unknown): boolean =>
  error instanceof EngineError && /cannot update a stopped container|not running/i.test(error.message);

export const isUp = ({ info: { State } }: OwnContainer): boolean =>
  State.Status === 'running' || State.Status === 'paused' || State.Status === 'restarting';

/** Our containers in an engine. Never returns, and so never changes, a foreign one. */
export class OwnContainers {
  readonly #engine: EngineClient;
  readonly #instanceId: string;
  readonly #someAtOnce = limitConcurrency(16);

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  /** Finds it by id or name. */
  async find(name: string): Promise<OwnContainer | undefined> {
    const path = `/containers/${encodeURIComponent(name)}/json`;
    const info = await undefinedIfGone(this.#engine.json<ContainerInfo>({ method: 'GET', path }));
    const owner = info && ownerInLabels(info.Config.Labels, this.#instanceId);
    return info && owner && { info, owner };
  }

  /** Finds the container of a service whatever its current name, which differs while the service's names resolve to
   * it. */
  async findOf(
    { deploymentId, service, replica = 1 }: Pick<Owner, 'deploymentId' | 'service' | 'replica'>,
    name: string,
  ): Promise<OwnContainer | undefined> {
    const found = await this.find(name);
    if (found) return found;
    const all = await this.list({ deployment: deploymentId, service });
    return all.filter(({ owner }) => isReplica(owner, replica)).toSorted((a, b) => b.owner.fence - a.owner.fence)[0];
  }

  async list(narrow: LabelFilter = {}): Promise<OwnContainer[]> {
    const filters = instanceFilter(this.#instanceId, narrow);
    const query = { all: true, filters };
    const found = await this.#engine.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query });
    if (found.length > mostContainers) throw new Error(`the engine reports ${found.length} of our containers`);
    // The list has too few fields, so each one is inspected. One may disappear in between.
    const each = await Promise.all(found.map(({ Id }) => this.#someAtOnce(() => this.find(Id))));
    return each.filter((one) => one !== undefined);
  }

  async create(name: string, body: object): Promise<OwnContainer> {
    const { Id } = await this.#engine.json<{ Id: string }>({
      method: 'POST',
      path: '/containers/create',
      query: { name },
      body,
    });
    const created = await this.find(Id);
    if (!created) throw new Error(`the container ${name} was removed right after its creation`);
    return created;
  }

  /** Starts it and returns its new state. */
  async start(container: OwnContainer): Promise<OwnContainer> {
    await this.#setRestart(container, wantedRestart(container.info));
    await this.#change(container, 'start');
    return this.#fresh(container);
  }

  /** Starts it without a restart policy. */
  async startOnce(container: OwnContainer): Promise<void> {
    await this.#change(container, 'start');
  }

  /** Returns its exit code once it has exited. */
  async wait({ info: { Id } }: OwnContainer, deadlineMs: number, signal: AbortSignal): Promise<number> {
    const call = { method: 'POST', path: `/containers/${Id}/wait`, deadlineMs, signal } as const;
    return (await this.#engine.json<{ StatusCode: number }>(call)).StatusCode;
  }

  /** The engine counts whole seconds: a shorter grace period becomes a second. */
  async stop(container: OwnContainer, graceMs: number): Promise<void> {
    // It may be removed concurrently.
    await undefinedIfGone(this.#stop(container, graceMs));
  }

  async #stop(container: OwnContainer, graceMs: number): Promise<void> {
    const isNoted = await this.#setRestart(container, restartNever).then(() => true, isBetweenTwoLives);
    await this.#change(container, 'stop', graceMs);
    if (!isNoted) await this.#setRestart(container, restartNever);
  }

  async restart(container: OwnContainer, graceMs: number): Promise<OwnContainer> {
    await this.#setRestart(container, wantedRestart(container.info));
    await this.#change(container, 'restart', graceMs);
    return this.#fresh(container);
  }

  async pause(container: OwnContainer): Promise<void> {
    // One that exits or crashes at this moment writes nothing either.
    if (container.info.State.Status === 'running') await undefinedIfGone(this.#change(container, 'pause'), goneOrGoing);
  }

  async resume(container: OwnContainer): Promise<void> {
    if (container.info.State.Status === 'paused') await this.#change(container, 'unpause');
  }

  /** An exiting container is ignored. */
  async signal({ info: { Id } }: OwnContainer, signal: string): Promise<void> {
    const call = this.#engine.json({ method: 'POST', path: `/containers/${Id}/kill`, query: { signal } });
    await undefinedIfGone(call, goneOrGoing);
  }

  /** Resolves once it is gone, also when it is being removed concurrently. Volumes stay. */
  async remove({ info: { Id, Name } }: OwnContainer): Promise<void> {
    const query = { force: true, v: false };
    await undefinedIfGone(this.#engine.json({ method: 'DELETE', path: `/containers/${Id}`, query }), goneOrGoing);
    for (const giveUp = Date.now() + marginMs; await this.find(Id); await sleep(50))
      if (Date.now() > giveUp) throw new Error(`the container ${Name} is not removed`);
  }

  /** Keeps its connections; the engine's DNS uses the new name at once. */
  async rename({ info: { Id } }: OwnContainer, name: string): Promise<void> {
    try {
      await this.#engine.json({ method: 'POST', path: `/containers/${Id}/rename`, query: { name } });
    } catch (error) {
      // An earlier call whose response was lost may have succeeded since.
      if (!(error instanceof EngineError) || (await this.find(Id))?.info.Name !== `/${name}`) throw error;
    }
  }

  /** Only before it is started. */
  async connect({ info: { Id } }: OwnContainer, network: string, endpoint: object): Promise<void> {
    const body = { Container: Id, EndpointConfig: endpoint };
    await this.#engine.json({ method: 'POST', path: `/networks/${encodeURIComponent(network)}/connect`, body });
  }

  /** Retries, because the engine rejects the update of a container that is just exiting. */
  async #setRestart({ info: { Id, HostConfig } }: OwnContainer, policy: RestartPolicy): Promise<void> {
    if (HostConfig.RestartPolicy.Name === policy.Name) return;
    const call = { method: 'POST', path: `/containers/${Id}/update`, body: { RestartPolicy: policy } } as const;
    for (let tries = 1; ; tries++)
      try {
        return void (await this.#engine.json(call));
      } catch (error) {
        if (!isEndingNow(error) || tries === mostTries) throw error;
        await sleep(betweenTriesMs);
      }
  }

  async #change({ info: { Id } }: OwnContainer, verb: string, graceMs?: number): Promise<void> {
    const path = `/containers/${Id}/${verb}`;
    const grace = graceMs === undefined ? {} : { query: { t: Math.ceil(graceMs / 1000) } };
    await this.#engine.json({ method: 'POST', path, ...grace, deadlineMs: (graceMs ?? 0) + marginMs });
  }

  async #fresh({ info: { Id, Name } }: OwnContainer): Promise<OwnContainer> {
    const found = await this.find(Id);
    if (!found) throw new Error(`the container ${Name} was removed by somebody else`);
    return found;
  }
}

/** Returns false if the error means that a crash-looping container has no process at the moment, which the engine
 * cannot update. */
function isBetweenTwoLives(error: unknown): false {
  const reasons = /cannot update a (stopped|deleted)|not running|process already finished|no such process/i;
  if (!(error instanceof EngineError) || !reasons.test(error.message)) throw error;
  return false;
}
