import type { Owner } from '../runtime.ts';
import type { EngineClient } from '../docker/engine/client.ts';
import { undefinedIfGone } from '../docker/engine/errors.ts';
import { type LabelFilter, instanceFilter, ownerInLabels } from '../docker/labels.ts';
import type { ServiceInfo, ServiceSpec, TaskInfo } from './types.ts';
import { encodedAuthHeader, type RegistryAuth, updateService } from './update-service.ts';

/** A Swarm service with our labels and our instance id. Only obtained through `OwnServices`. */
export interface OwnService {
  info: ServiceInfo;
  owner: Owner;
  /** Newest first. */
  tasks: TaskInfo[];
}

/** Our services in a Swarm. Never returns, and so never changes, a foreign one. */
export class OwnServices {
  readonly #engine: EngineClient;
  readonly #instanceId: string;

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  /** Finds it by id or name. */
  async find(name: string): Promise<OwnService | undefined> {
    const path = `/services/${encodeURIComponent(name)}`;
    const info = await undefinedIfGone(this.#engine.json<ServiceInfo>({ method: 'GET', path }));
    return info && this.#own(info, await this.#tasks({ service: [info.ID] }));
  }

  async list(narrow: LabelFilter = {}): Promise<OwnService[]> {
    const query = { filters: instanceFilter(this.#instanceId, narrow) };
    const found = await this.#engine.json<ServiceInfo[]>({ method: 'GET', path: '/services', query });
    if (!found.length) return [];
    // A filter with very many names makes a very long URL.
    const tasks = await this.#tasks(found.length < 50 ? { service: found.map(({ ID }) => ID) } : {});
    return found.flatMap((info) => this.#own(info, tasks) ?? []);
  }

  async create(spec: ServiceSpec, auth: RegistryAuth): Promise<OwnService> {
    const call = { method: 'POST', path: '/services/create', body: spec, headers: encodedAuthHeader(auth) } as const;
    const { ID } = await this.#engine.json<{ ID: string }>(call);
    return this.#fresh(ID);
  }

  async update(service: OwnService, change: (spec: ServiceSpec) => ServiceSpec, auth?: RegistryAuth) {
    await updateService(this.#engine, service.info, change, auth);
    return this.#fresh(service.info.ID);
  }

  async remove({ info: { ID } }: OwnService): Promise<void> {
    await undefinedIfGone(this.#engine.json({ method: 'DELETE', path: `/services/${ID}` }));
  }

  /** Returns its tasks, newest first. */
  tasksOf({ info: { ID } }: OwnService): Promise<TaskInfo[]> {
    return this.#tasks({ service: [ID] });
  }

  async #tasks(filters: { service?: string[] }): Promise<TaskInfo[]> {
    const call = { method: 'GET', path: '/tasks', query: { filters } } as const;
    // Tasks of a removed service are gone for the engine, too.
    const tasks = (await undefinedIfGone(this.#engine.json<TaskInfo[]>(call))) ?? [];
    return tasks.toSorted((a, b) => (a.CreatedAt < b.CreatedAt ? 1 : -1));
  }

  async #fresh(id: string): Promise<OwnService> {
    const found = await this.find(id);
    if (!found) throw new Error(`the service ${id} was removed by somebody else`);
    return found;
  }

  #own(info: ServiceInfo, tasks: TaskInfo[]): OwnService | undefined {
    const owner = ownerInLabels(info.Spec.Labels, this.#instanceId);
    return owner && { info, owner, tasks: tasks.filter(({ ServiceID }) => ServiceID === info.ID) };
  }
}
