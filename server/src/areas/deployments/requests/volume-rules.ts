import { posix } from 'node:path';
import type { StackVolumeInfo } from '../../../drivers/runtime/runtime.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { edgeKey } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { DeployableProject } from '../model/projects-port.ts';
import { scaleIn, withScale } from '../model/scale.ts';
import { appService, type ServiceState, type Stack } from '../model/stack.ts';
import type { VolumeRow } from '../model/volume-store.ts';
import { mountOfVolume, pathsClash, serviceOfVolume } from '../model/volumes.ts';

type Active = { stack: Stack | undefined; states: ServiceState[] };
/** Volumes in the database and in the engine, and the active releases by environment. */
export type FoundVolumes = { rows: VolumeRow[]; engine: StackVolumeInfo[]; actives: Map<string, Active> };
/** Everything that a list of volumes is made from. */
export type VolumeInventory = FoundVolumes & { project: DeployableProject; parts: Parts };

const mostPerProject = 50;

/** Returns the engine volume that `from` names, unless it or the name already belongs to other data. */
export function dataToTakeOver(
  { engine, rows, project }: VolumeInventory,
  from: string,
  before: VolumeRow | undefined,
): string {
  const found = engine.find(({ id, stack }) => id === from && stack === null);
  if (!found)
    throw badRequest(
      `from: ${from} is not an unused volume of this project; see: mooring volume list ${project.slug} --orphans`,
      'from',
    );
  const user = rows.find(({ engineId }) => engineId === from);
  if (user && user.id !== before?.id) {
    const whose = user.removedAt === null ? 'the volume' : 'the removed volume';
    const todo = user.removedAt === null ? '' : `; add ${user.name} again to mount it`;
    throw badRequest(`from: ${from} is the data of ${whose} ${user.name} in ${user.environment}${todo}`, 'from');
  }
  if (before && !user)
    throw conflict(
      `The removed volume ${before.name} still has data of its own. Choose another name for ${from}, or delete that data ` +
        `first: ${deleteDataCommand(project, before)}`,
    );
  return from;
}

/** Deletes the data of a removed volume. */
const deleteDataCommand = (
  { slug }: DeployableProject,
  { name, environment }: Pick<VolumeRow, 'name' | 'environment'>,
): string =>
  `mooring volume remove ${slug} ${name}${environment === 'production' ? '' : ` --environment ${environment}`} --delete-data`;

export const keptDataText = (project: DeployableProject, volume: Pick<VolumeRow, 'name' | 'environment'>): string =>
  `${volume.name} is not mounted. Delete its data: ${deleteDataCommand(project, volume)}`;

export function volumeBeingDeleted({ actives }: VolumeInventory, { name, environment }: VolumeRow) {
  if (mountOfVolume(actives.get(environment)?.stack, name))
    return conflict(
      `The data of ${name} is deleted once the active release is replaced. Deploy first, or choose another name.`,
    );
  return conflict(`The data of ${name} is still being deleted. Try again in a few seconds.`);
}

/** Checks that the volume can be mounted with all others; it may be one of them. */
export function requireMountable({ project, rows, parts, actives, engine }: VolumeInventory, row: VolumeRow): void {
  if (!parts.containers && posix.isAbsolute(row.path))
    throw badRequest('path must be relative to the folder of the app, such as data: it runs as a process', 'path');
  const stack = actives.get(row.environment)?.stack;
  if (row.service !== null && stack && !serviceOfVolume(stack, row)) {
    const names = stack.project.services.map(({ name }) => name).join(', ');
    throw badRequest(`service: there is no service ${row.service}; there are ${names}`, 'service');
  }
  if (row.service === null && stack && stack.project.services.length > 1) {
    const names = stack.project.services.map(({ name }) => name).join(', ');
    throw badRequest(`service is required; it is one of ${names}`, 'service');
  }
  const isOther = ({ id, environment, removedAt }: VolumeRow) =>
    id !== row.id && environment === row.environment && removedAt === null;
  const others = rows.filter(isOther);
  const isOfFile = engine.some(({ name, stack: of }) => name === row.name && of === edgeKey(row));
  if (others.some(({ name }) => name === row.name))
    throw badRequest(`name: the volume ${row.name} already exists`, 'name');
  if (isOfFile && !rows.some(({ name, environment }) => name === row.name && environment === row.environment))
    throw badRequest(`name: ${row.name} is a volume of the compose file`, 'name');
  const ownerOf = (each: VolumeRow) => (stack && serviceOfVolume(stack, each)?.name) ?? each.service ?? appService;
  const near = others.find((each) => ownerOf(each) === ownerOf(row) && pathsClash(each.path, row.path));
  if (near) throw badRequest(`path: the volume ${near.name} is at ${near.path} already`, 'path');
  const isOfStack =
    stack && serviceOfVolume(stack, row)?.mounts.some((each) => !each.isOfProject && each.target === row.path);
  if (isOfStack) throw badRequest(`path: the compose file mounts something at ${row.path} already`, 'path');
  // Uses the wanted number of replicas, which may differ from that of the active release.
  const wanted = stack && serviceOfVolume(withScale(stack, scaleIn(project.settings)), row)?.replicas;
  const count = wanted ?? project.settings.replicas;
  if (count > 1 && !row.overlap)
    throw badRequest(
      `overlap: ${count} replicas would write to it at the same time; set overlap to allow that, or scale to one replica first`,
      'overlap',
    );
  if (others.length >= mostPerProject) throw badRequest(`a project has at most ${mostPerProject} volumes`, 'name');
}
