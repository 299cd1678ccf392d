import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { withLock } from '../records/locks.ts';
import type { Places } from '../records/places.ts';
import type { Owner } from '../runtime.ts';
import type { EngineClient } from './engine-client.ts';
import type { NetworkInfo } from './engine-types.ts';
import { projectLabels, stackLabel } from './labels.ts';
import { createNetwork, listNetworks, removeNetwork } from './network-create.ts';
import { isOfStack, type OwnContainer, type OwnContainers } from './own-containers.ts';

const lockWithinMs = 60_000;

/** One network for each project: its parts reach each other, and nobody else's. */
export class ProjectNetworks {
  readonly #engine: EngineClient;
  readonly #containers: OwnContainers;
  readonly #instanceId: string;
  readonly #places: Places;

  constructor(engine: EngineClient, containers: OwnContainers, instanceId: string, places: Places) {
    [this.#engine, this.#containers, this.#instanceId, this.#places] = [engine, containers, instanceId, places];
  }

  /** Runs the task, which puts a container into the project's network, while nobody removes that. */
  within<T>(owner: Owner, task: (network: string) => Promise<T>): Promise<T> {
    return this.#alone(owner.projectId, async () => task(await this.#ensure(owner)));
  }

  /** Removes the networks of projects that have no container left in them, also those that an earlier removal did not get to. */
  async sweep(containers: OwnContainer[]): Promise<void> {
    const used = new Set(containers.filter((each) => !isOfStack(each)).map(({ owner }) => owner.projectId));
    const projects = (await this.#list()).map(({ Labels }) => Labels?.['mooring.project'] ?? '');
    for (const project of new Set(projects.filter((each) => !used.has(each))))
      await this.#alone(project, () => this.#removeUnused(project));
  }

  /** A name of its own for each: with two of one name an engine does not know which is meant. If there are two of a project
   * (a call before us was cut short, and went on in the engine), everybody takes the older one. */
  async #ensure(owner: Owner): Promise<string> {
    const before = await this.#list(owner.projectId);
    if (before[0]) return before[0].Id;
    const Name = `mooring-${this.#hash(owner.projectId).slice(0, 12)}-${randomBytes(4).toString('hex')}`;
    await createNetwork(this.#engine, { Name, Driver: 'bridge', Labels: projectLabels(owner) });
    const [oldest, ...others] = await this.#list(owner.projectId);
    for (const other of others) await removeNetwork(this.#engine, other);
    return oldest!.Id;
  }

  async #removeUnused(project: string): Promise<void> {
    if (!(await this.#containers.list({ project })).every(isOfStack)) return;
    for (const network of await this.#list(project)) await removeNetwork(this.#engine, network);
  }

  /** Those of stacks are another matter. */
  async #list(project?: string): Promise<NetworkInfo[]> {
    const found = await listNetworks(this.#engine, this.#instanceId, project === undefined ? {} : { project });
    return found.filter(({ Labels }) => Labels?.[stackLabel] === undefined);
  }

  /** Lock files are never removed, so there is a bounded number of them. */
  #alone<T>(project: string, task: () => Promise<T>): Promise<T> {
    return withLock(join(this.#places.locks, `network-${this.#hash(project).slice(0, 2)}.lock`), lockWithinMs, task);
  }

  #hash(project: string): string {
    return createHash('sha256')
      .update(JSON.stringify([this.#instanceId, project]))
      .digest('hex');
  }
}
