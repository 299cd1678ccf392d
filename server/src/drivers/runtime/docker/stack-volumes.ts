import type { Owner, ServiceOptions, StackVolume, StackVolumeInfo } from '../runtime.ts';
import type { EngineClient } from './engine-client.ts';
import { ifThere } from './engine-errors.ts';
import type { VolumeInfo } from './engine-types.ts';
import {
  instanceLabel,
  labelsOfUser,
  type Narrow,
  organizationLabel,
  oursFilter,
  projectLabel,
  projectLabels,
  serviceLabel,
  stackLabel,
  volumeLabel,
} from './labels.ts';
import { readable, shortHash } from './readable-names.ts';

/** The volumes of stacks. Nothing but `remove` ever removes one. */
export class StackVolumes {
  readonly #engine: EngineClient;
  readonly #instanceId: string;

  constructor(engine: EngineClient, instanceId: string) {
    [this.#engine, this.#instanceId] = [engine, instanceId];
  }

  /** Its engine name, once it is there. One without a name is that of the service and the path. */
  async ensure(owner: Owner, { stack }: ServiceOptions, volume: StackVolume, path: string): Promise<string> {
    if (volume.externalName !== null) return this.#external(owner, volume.externalName);
    const id = volumeId(owner, stack, volume.name, path);
    const found = await this.#find(id);
    if (found) {
      if (this.#isOf(owner, found)) return id;
      throw new Error(`the volume ${id} is not one that was made for this project`);
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
    return id;
  }

  async list(narrow: Narrow): Promise<StackVolumeInfo[]> {
    return (await this.#list(narrow)).flatMap(({ Name, CreatedAt, Labels }) => {
      const stack = Labels?.[stackLabel];
      if (stack === undefined) return [];
      const service = Labels?.[serviceLabel] ?? null;
      const name = service === null ? (Labels?.[volumeLabel] ?? null) : null;
      return { id: Name, stack, name, service, createdAt: CreatedAt ? Date.parse(CreatedAt) : null };
    });
  }

  /** Also those that the images of apps have asked for. */
  async remove(projectId: string): Promise<string[]> {
    const removed: string[] = [];
    for (const { Name } of await this.#list({ project: projectId })) {
      await ifThere(this.#engine.json({ method: 'DELETE', path: `/volumes/${Name}` }));
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

  /** Ids of projects may come from elsewhere: one that was deleted here may come back as somebody else's. */
  #isOf({ organizationId, projectId }: Owner, { Labels }: VolumeInfo): boolean {
    const { [instanceLabel]: instance, [organizationLabel]: organization, [projectLabel]: project } = Labels ?? {};
    return instance === this.#instanceId && organization === organizationId && project === projectId;
  }

  #find(name: string): Promise<VolumeInfo | undefined> {
    return ifThere(this.#engine.json<VolumeInfo>({ method: 'GET', path: `/volumes/${encodeURIComponent(name)}` }));
  }

  async #list(narrow: Narrow): Promise<VolumeInfo[]> {
    const query = { filters: oursFilter(this.#instanceId, narrow) };
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
  return `mooring-${hash}-${readable(name ?? `${service}${path}`)}`;
}
