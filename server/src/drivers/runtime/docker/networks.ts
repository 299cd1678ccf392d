import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { withLock } from '../records/locks.ts';
import type { Places } from '../records/places.ts';
import type { Owner } from '../runtime.ts';
import type { EngineClient } from './engine-client.ts';
import { EngineError, ifThere } from './engine-errors.ts';
import type { NetworkInfo } from './engine-types.ts';
import { oursFilter, projectLabels } from './labels.ts';
import { freeSubnets } from './network-addresses.ts';
import type { OwnContainers } from './own-containers.ts';

const lockWithinMs = 60_000;
const inUse = 403;

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

  /** Removes the networks of projects that have no container left, also those that an earlier removal did not get to. */
  async sweep(): Promise<void> {
    const used = new Set((await this.#containers.list()).map(({ owner }) => owner.projectId));
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
    await this.#create({ Name, Driver: 'bridge', Labels: projectLabels(owner) });
    const [oldest, ...others] = await this.#list(owner.projectId);
    for (const other of others) await this.#remove(other);
    return oldest!.Id;
  }

  /** Engines come with addresses for some thirty networks; beyond that we look for a free range ourselves. */
  async #create(body: object): Promise<void> {
    const make = (more: object = {}) =>
      this.#engine.json<void>({ method: 'POST', path: '/networks/create', body: { ...body, ...more } });
    try {
      return await make();
    } catch (error) {
      if (!(error instanceof EngineError && /address pool|predefined address/i.test(error.message))) throw error;
    }
    const all = await this.#engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks' });
    const taken = all.flatMap(({ IPAM }) => IPAM.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
    let last: unknown = new Error('no addresses are left for another network');
    for (const subnet of freeSubnets(taken))
      try {
        return await make({ IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } });
      } catch (error) {
        if (!(error instanceof EngineError && /overlap/i.test(error.message))) throw error;
        last = error;
      }
    throw last;
  }

  async #removeUnused(project: string): Promise<void> {
    if ((await this.#containers.list({ project })).length) return;
    for (const network of await this.#list(project)) await this.#remove(network);
  }

  async #remove({ Id }: NetworkInfo): Promise<void> {
    try {
      await ifThere(this.#engine.json({ method: 'DELETE', path: `/networks/${Id}` }));
    } catch (error) {
      // Somebody has connected a container of their own to it: then it stays.
      if (!(error instanceof EngineError && error.status === inUse)) throw error;
    }
  }

  /** Oldest first. */
  async #list(project?: string): Promise<NetworkInfo[]> {
    const filters = oursFilter(this.#instanceId, project === undefined ? {} : { project });
    const found = await this.#engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks', query: { filters } });
    return found.toSorted((a, b) => (a.Created < b.Created ? -1 : 1));
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
