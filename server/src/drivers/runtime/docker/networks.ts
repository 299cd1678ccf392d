import { createHash } from 'node:crypto';
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
const nameTaken = 409;

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

  async #ensure(owner: Owner): Promise<string> {
    const found = await this.#list(owner.projectId);
    if (found[0]) return found[0].Id;
    const body = {
      Name: `mooring-${this.#hash(owner.projectId).slice(0, 16)}`,
      CheckDuplicate: true,
      Driver: 'bridge',
      Labels: projectLabels(owner),
    };
    try {
      return await this.#create(body);
    } catch (error) {
      // Another service of this instance was quicker.
      const theirs = isRefusal(error, nameTaken) ? (await this.#list(owner.projectId))[0] : undefined;
      if (!theirs) throw error;
      return theirs.Id;
    }
  }

  /** Engines come with addresses for some thirty networks; beyond that we look for a free range ourselves. */
  async #create(body: object): Promise<string> {
    const make = async (more: object = {}) =>
      (
        await this.#engine.json<{ Id: string }>({
          method: 'POST',
          path: '/networks/create',
          body: { ...body, ...more },
        })
      ).Id;
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
    for (const { Id } of await this.#list(project))
      try {
        await ifThere(this.#engine.json({ method: 'DELETE', path: `/networks/${Id}` }));
      } catch (error) {
        // Somebody has connected a container of their own to it: then it stays.
        if (!isRefusal(error, inUse)) throw error;
      }
  }

  /** Oldest first: if there are two after all, everybody takes the same one. */
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

const isRefusal = (error: unknown, status: number): boolean => error instanceof EngineError && error.status === status;
