import type { Db } from '../../../db/database.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { newId } from '../../../lib/ids.ts';
import type { VolumeDefinition } from '../../../drivers/runtime/container-data.ts';
import type { EnvironmentRef } from '../../domains/port.ts';
import { selectHolds } from '../model/hold-store.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import { isSiteState, type ServiceState, type Stack } from '../model/stack.ts';
import { selectActive } from '../model/store.ts';
import { insertVolume, selectVolumes } from '../model/volume-store.ts';
import { type OpenedDeployment, openDeployment } from '../upkeep/resting-stacks.ts';
import { foundVolumes, knownVolumes, type Volume } from './volumes.ts';

type Deps = { db: Db; sealer: Sealer; machines: Machines };

/** A volume with the location of its data: in the container engine, or a folder of this machine. */
export type DataVolume = Pick<Volume, 'name' | 'origin' | 'service' | 'path'> & {
  place: { engineId: string } | { folder: string };
  /** Services that mount it. */
  services: string[];
  /** Set if a restore left it incomplete. */
  definition?: VolumeDefinition;
};

/** A running service. */
export interface DataService {
  name: string;
  /** The deployment whose container or process it is. */
  deploymentId: string;
  /** Image name as the user wrote it; null for a process. */
  image: string | null;
  /** Variables of the project or the compose file, without those of the image. */
  environment: Record<string, string>;
}

/** Where the data of an environment is. */
export interface ProjectData {
  parts: Parts;
  resting: OpenedDeployment;
  volumes: DataVolume[];
  services: DataService[];
}

/** Returns undefined if nothing is deployed there. */
export async function projectData(deps: Deps, owner: EnvironmentRef): Promise<ProjectData | undefined> {
  const { db, sealer, machines } = deps;
  const { organizationId, projectId, environment } = owner;
  const row = await selectActive(db, organizationId, projectId, environment);
  if (!row?.stack) return undefined;
  const parts = await machines.of(row);
  const resting = openDeployment(sealer, row);
  const found = knownVolumes(await foundVolumes({ db, sealer, parts }, owner));
  const ofHere = found.filter((each) => each.environment === environment && !each.deleting);
  const volumes = ofHere.flatMap((volume): DataVolume[] => {
    const folder = parts.server === null ? parts.folders.volume(projectId, environment, volume.name) : undefined;
    const place = volume.id === null ? folder && { folder } : { engineId: volume.id };
    const { name, origin, service, path } = volume;
    // A volume that no release has mounted has no data.
    return place && volume.inUse ? [{ name, origin, service, path, place, services: usersOf(resting, volume) }] : [];
  });
  const incomplete = (await selectHolds(db)).flatMap((hold) =>
    hold.deploymentId === row.id && hold.incomplete
      ? [{ ...hold.incomplete.volume, definition: hold.incomplete.definition }]
      : [],
  );
  const others = [...volumes, ...externalVolumes(resting)].filter(
    ({ name }) => !incomplete.some((each) => each.name === name),
  );
  return { parts, resting, volumes: [...others, ...incomplete], services: servicesOf(resting) };
}

/** Volumes that the engine had before, such as those of a stack that was taken over. */
const externalVolumes = (resting: OpenedDeployment): DataVolume[] =>
  resting.stack.project.volumes.flatMap(({ name, externalName }): DataVolume[] => {
    if (name === null || externalName === null) return [];
    const services = usersOf(resting, { name, service: null, origin: 'project' });
    const facts = { name, origin: 'compose' as const, service: null, path: null };
    return services.length ? [{ ...facts, place: { engineId: externalName }, services }] : [];
  });

/** Records a new volume that no release mounts. Adding a volume of that name mounts it. */
export async function keepUnmountedVolume(
  { db }: Pick<Deps, 'db'>,
  { organizationId, projectId, environment }: EnvironmentRef,
  { name, path, service }: { name: string; path: string; service: string | null },
): Promise<void> {
  const rows = await selectVolumes(db, { organizationId, projectId });
  if (rows.some((row) => row.name === name && row.environment === environment)) return;
  const now = Date.now();
  const facts = { overlap: 0, engineId: null, removedAt: now, purge: 0, createdAt: now };
  await insertVolume(db, { id: newId('vol'), organizationId, projectId, environment, name, path, service, ...facts });
}

function usersOf(
  { stack }: OpenedDeployment,
  { name, service, origin }: Pick<Volume, 'name' | 'service' | 'origin'>,
): string[] {
  const own = stack.project.services.filter(({ mounts }) =>
    mounts.some((mount) => mount.type === 'volume' && mount.volume === name),
  );
  const names = own.length || origin === 'project' ? own.map((each) => each.name) : service === null ? [] : [service];
  const borrowers = stack.project.services.filter(({ volumesFrom }) =>
    volumesFrom.some((from) => names.includes(from.service)),
  );
  return [...new Set([...names, ...borrowers.map((each) => each.name)])];
}

function servicesOf({ stack, states, config }: OpenedDeployment): DataService[] {
  return states.flatMap((state): DataService[] => {
    if (state.runsOf === null || isSiteState(state)) return [];
    const environment = state.isApp
      ? Object.fromEntries(config.variables.map(({ key, value }) => [key, value]))
      : variablesOf(stack, state);
    return [{ name: state.name, deploymentId: state.runsOf, image: state.image?.image ?? null, environment }];
  });
}

const variablesOf = ({ project }: Stack, { name }: ServiceState): Record<string, string> =>
  Object.fromEntries(
    Object.entries(project.services.find((each) => each.name === name)?.environment ?? {}).filter(
      (each): each is [string, string] => each[1] !== null,
    ),
  );
