import { existsSync } from 'node:fs';
import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { StackVolumeInfo } from '../../../drivers/runtime/runtime.ts';
import { AppError, badRequest, conflict, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { folderBytes } from '../../../lib/tree-size.ts';
import { recordAudit } from '../../access/port.ts';
import type { Machines } from '../model/machines.ts';
import { edgeKey } from '../model/model.ts';
import type { Parts } from '../model/parts.ts';
import type { DeployableProject, ProjectsPort } from '../model/projects-port.ts';
import { stackOf } from '../model/run-stack.ts';
import { appService, serviceStatesOf } from '../model/stack.ts';
import { selectActives, selectDeployment } from '../model/store.ts';
import { bringBackVolume, insertVolume, selectVolumes, updateVolume, type VolumeRow } from '../model/volume-store.ts';
import { mountOfVolume, readVolumePath, serviceOfVolume } from '../model/volumes.ts';
import {
  dataToTakeOver,
  type FoundVolumes,
  keptDataText,
  volumeBeingDeleted,
  type VolumeInventory,
  requireMountable,
} from './volume-rules.ts';
import { purgeVolume } from '../upkeep/volumes.ts';

export const volumeOrigins = ['project', 'compose', 'image'] as const;

/** A volume as shown. */
export interface Volume {
  /** Its name in the container engine. */
  id: string | null;
  name: string;
  path: string | null;
  service: string | null;
  environment: string;
  origin: (typeof volumeOrigins)[number];
  sizeBytes: number | null;
  inUse: boolean;
  /** The next deployment mounts it, or mounts it elsewhere. */
  pending: boolean;
  overlap: boolean;
  /** Removed with its data, which is not deleted yet. */
  deleting: boolean;
  createdAt: number | null;
}

export type NewVolume = {
  name: string;
  path: string;
  service?: string | undefined;
  environment: string;
  overlap: boolean;
  from?: string | undefined;
};

type Deps = { db: Db; sealer: Sealer; projects: ProjectsPort; machines: Machines };
/** Volumes of services: added by users, or from compose files and images. */
export class Volumes {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async list(caller: Caller, id: string, { orphans }: { orphans: boolean }): Promise<Volume[]> {
    const look = await this.#look(await this.#deps.projects.find(caller, id, 'read'));
    const found = orphans ? await this.#orphans(look) : knownVolumes(look);
    const sizes = await sizesIfCounted(look.parts);
    const all = await Promise.all(
      found.map(async (volume) => ({ ...volume, sizeBytes: await sizeIn(look.parts, volume, sizes, look.project.id) })),
    );
    // A volume that was removed before any release mounted it has no data.
    return orphans ? all.filter((each) => each.id !== null || each.sizeBytes !== null || each.deleting) : all;
  }

  /** Returns one volume with the location of its data. */
  async find(
    caller: Caller,
    id: string,
    name: string,
    environment: string,
  ): Promise<Volume & { parts: Parts; folder: string | null }> {
    const look = await this.#look(await this.#deps.projects.find(caller, id, 'read'));
    const found = [...knownVolumes(look), ...(await this.#orphans(look))].find(
      (each) => each.name === name && each.environment === environment,
    );
    if (!found) throw notFound('volume');
    const engine = look.engine.find((each) => each.id === found.id);
    const own = engine ? engine.folder : look.parts.folders.volume(look.project.id, environment, name);
    return { ...found, sizeBytes: null, parts: look.parts, folder: look.parts.server === null ? own : null };
  }

  async add(caller: Caller, id: string, wanted: NewVolume): Promise<Volume> {
    const look = await this.#look(await this.#deps.projects.find(caller, id, 'write'));
    const row = await this.#change(caller, look, 'volume.added', async (trx, now) => {
      const before = now.rows.find(
        ({ name, environment }) => name === wanted.name && environment === wanted.environment,
      );
      if (before && before.purge !== 0) throw volumeBeingDeleted(now, before);
      const engineId = wanted.from === undefined ? null : dataToTakeOver(now, wanted.from, before);
      const added = newRow(now.project, wanted, engineId);
      requireMountable(now, added);
      const { path, service, overlap } = added;
      if (!before) await insertVolume(trx, added);
      else if (!(await bringBackVolume(trx, before, { path, service, overlap }, { untilClaimed: false })))
        throw volumeBeingDeleted(now, before);
      return added;
    });
    return this.#one(look.project, row);
  }

  async change(
    caller: Caller,
    id: string,
    name: string,
    change: { environment: string; path?: string | undefined; overlap?: boolean | undefined },
  ) {
    const look = await this.#look(await this.#deps.projects.find(caller, id, 'write'));
    const after = await this.#change(caller, look, 'volume.changed', async (trx, now) => {
      const row = requireRow(now, name, change.environment);
      const path = change.path === undefined ? row.path : plainPath(change.path);
      const overlap = change.overlap === undefined ? row.overlap : Number(change.overlap);
      const changed = { ...row, path, overlap };
      requireMountable(now, changed);
      await updateVolume(trx, row, { path, overlap });
      return changed;
    });
    return this.#one(look.project, after);
  }

  /** Keeps the data unless its deletion is requested; data of a running release is deleted once that is replaced. */
  async remove(
    caller: Caller,
    id: string,
    name: string,
    { environment, data }: { environment: string; data: 'keep' | 'delete' },
  ) {
    const project = await this.#deps.projects.find(caller, id, 'admin');
    const look = await this.#look(project);
    const isIt = (each: VolumeRow) => each.name === name && each.environment === environment;
    if (!look.rows.some(isIt)) return this.#removeUnused(caller, look, name, { environment, data });
    const row = await this.#change(caller, look, 'volume.removed', async (trx, { rows }) => {
      const found = rows.find(isIt);
      if (!found) throw notFound('volume');
      if (found.removedAt !== null && data === 'keep') throw new AppError('not_found', keptDataText(project, found));
      const purge = Math.max(found.purge, Number(data === 'delete'));
      await updateVolume(trx, found, { removedAt: found.removedAt ?? Date.now(), purge });
      return found;
    });
    if (data === 'delete') await purgeVolume({ ...this.#deps, parts: look.parts }, row);
  }

  /** Removes a volume that its compose file or image no longer has. */
  async #removeUnused(
    caller: Caller,
    look: VolumeInventory,
    name: string,
    { environment, data }: { environment: string; data: 'keep' | 'delete' },
  ) {
    const all = [...knownVolumes(look), ...(await this.#orphans(look))];
    const found = all.find((each) => each.name === name && each.environment === environment);
    if (!found) throw notFound('volume');
    const origin = found.origin === 'compose' ? 'the compose file' : 'the image';
    if (found.inUse) throw conflict(`${name} is mounted by ${origin}; remove it there and deploy first`);
    const { project, parts } = look;
    if (data === 'keep') throw conflict(keptDataText(project, found));
    const isGone = await parts.containers!.services.removeVolume(found.id!);
    if (!isGone) throw conflict(`a container still uses ${name}; try again in a moment`);
    await recordAudit(this.#deps.db, project.organizationId, caller, {
      action: 'volume.removed',
      target: { id: project.id, name: project.slug },
      details: { volume: name, environment },
    });
  }

  /** Serializes changes of a project's volumes, because each must fit the others. */
  #change(
    caller: Caller,
    look: VolumeInventory,
    action: `volume.${string}`,
    act: (trx: Trx, now: VolumeInventory) => Promise<VolumeRow>,
  ): Promise<VolumeRow> {
    const { db, projects } = this.#deps;
    const { id, organizationId, slug } = look.project;
    return inTransaction(db, async (trx) => {
      const project = await projects.hold(trx, look.project);
      const rows = await selectVolumes(trx, { organizationId, projectId: id });
      const row = await act(trx, { ...look, project, rows });
      const { name, path, environment } = row;
      await recordAudit(trx, organizationId, caller, {
        action,
        target: { id, name: slug },
        details: { volume: name, path, environment },
      });
      return row;
    });
  }

  async #one(project: DeployableProject, row: VolumeRow): Promise<Volume> {
    const all = knownVolumes(await this.#look(project));
    return all.find(({ name, environment }) => name === row.name && environment === row.environment)!;
  }

  async #look(project: DeployableProject): Promise<VolumeInventory> {
    const { db, sealer, machines } = this.#deps;
    const { id: projectId, organizationId, serverId } = project;
    const parts = await machines.of({ organizationId, serverId });
    return { project, parts, ...(await foundVolumes({ db, sealer, parts }, { organizationId, projectId })) };
  }

  /** Unmounted data: of removed volumes, and of apps deployed by 0.1.0 or older. */
  async #orphans(look: VolumeInventory): Promise<Volume[]> {
    const removed = look.rows.filter(({ removedAt }) => removedAt !== null).map((row) => ofRow(look, row));
    const { db } = this.#deps;
    const old = look.engine.filter(({ stack, id }) => stack === null && !look.rows.some((row) => row.engineId === id));
    const ofApps = old.map(async (volume): Promise<Volume> => {
      const made = await selectDeployment(db, look.project.organizationId, volume.deploymentId ?? '');
      const { id, createdAt } = volume;
      return {
        id,
        name: id,
        path: null,
        service: appService,
        environment: made?.environment ?? 'production',
        origin: 'image',
        sizeBytes: null,
        inUse: made?.active === 1,
        pending: false,
        overlap: false,
        deleting: false,
        createdAt,
      };
    });
    return [...removed, ...(await Promise.all(ofApps))];
  }
}

/** Looks for the volumes of a project in the database and in the engine. */
export async function foundVolumes(
  { db, sealer, parts }: { db: Db; sealer: Sealer; parts: Parts },
  { organizationId, projectId }: { organizationId: string; projectId: string },
): Promise<FoundVolumes> {
  const rows = await selectVolumes(db, { organizationId, projectId });
  const made = (await parts.containers?.services.volumes({ projectId })) ?? [];
  // The data is still in the folder.
  const engine = made.filter((volume) => !isDraftOfFolder(parts, rows, volume));
  const active = await selectActives(db, organizationId, projectId);
  const actives = new Map(
    active.map((row) => [row.environment, { stack: stackOf(sealer, row), states: serviceStatesOf(row) }]),
  );
  return { rows, engine, actives };
}

/** Whether it is a copy of a process's volume that no release has served with yet. */
function isDraftOfFolder({ folders, server }: Parts, rows: readonly VolumeRow[], { name, stack }: StackVolumeInfo) {
  const row = rows.find((each) => each.name === name && edgeKey(each) === stack);
  if (!row || server !== null) return false;
  const { projectId, environment } = row;
  return [folders.volumeDraft, folders.volume].every((place) => existsSync(place(projectId, environment, row.name)));
}

/** Returns the volumes that are mounted or will be. */
export function knownVolumes(look: FoundVolumes): Volume[] {
  const own = look.rows.filter(({ removedAt }) => removedAt === null).map((row) => ofRow(look, row));
  const others = look.engine.filter(
    (each) => each.stack !== null && !look.rows.some((row) => row.name === each.name && edgeKey(row) === each.stack),
  );
  return [...own, ...others.map((each) => ofEngine(look, each))];
}

function ofRow({ engine, actives }: FoundVolumes, row: VolumeRow): Volume {
  const stack = actives.get(row.environment)?.stack;
  const mounted = mountOfVolume(stack, row.name);
  const made = engine.find(
    ({ id, name, stack: of }) => id === row.engineId || (name === row.name && of === edgeKey(row)),
  );
  return {
    id: made?.id ?? null,
    name: row.name,
    path: row.path,
    service: row.service ?? (stack && serviceOfVolume(stack, row)?.name) ?? mounted?.service ?? appService,
    environment: row.environment,
    origin: 'project',
    sizeBytes: null,
    inUse: mounted !== undefined,
    pending: row.removedAt === null && mounted?.target !== row.path,
    overlap: row.overlap === 1,
    deleting: row.purge !== 0,
    createdAt: row.createdAt,
  };
}

function ofEngine({ actives }: FoundVolumes, { id, stack, name, service, path, createdAt }: StackVolumeInfo): Volume {
  const environment = stack!.slice(stack!.indexOf('/') + 1);
  const active = actives.get(environment);
  const mounted = name === null ? undefined : mountOfVolume(active?.stack, name);
  const owner = active?.stack?.project.services.find((each) => each.name === service);
  const isUnnamed = owner?.mounts.some(({ target }) => target === path) ?? false;
  const isDeclared =
    active?.states.some((state) => state.name === service && state.image?.volumes.includes(path ?? '')) ?? false;
  return {
    id,
    name: name ?? `${service}${(path ?? '').replaceAll(/[^A-Za-z0-9.]+/g, '-')}`,
    path: path ?? mounted?.target ?? null,
    service: service ?? mounted?.service ?? null,
    environment,
    origin: name === null && !isUnnamed ? 'image' : 'compose',
    sizeBytes: null,
    inUse: mounted !== undefined || isUnnamed || isDeclared,
    pending: false,
    overlap: false,
    deleting: false,
    createdAt,
  };
}

/** An engine may take too long to measure sizes; a list without sizes is better than none. */
const sizesIfCounted = ({ containers }: Parts) => containers?.services.volumeSizes().catch(() => undefined);

/** No release has mounted it yet. */
function ifNotMade(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

async function sizeIn(
  { folders, server }: Parts,
  { id, name, environment }: Volume,
  sizes: ReadonlyMap<string, number> | undefined,
  projectId: string,
): Promise<number | null> {
  if (id !== null) return sizes?.get(id) ?? null;
  return server === null ? folderBytes(folders.volume(projectId, environment, name)).catch(ifNotMade) : null;
}

const newRow = (
  project: DeployableProject,
  { name, path, service, environment, overlap }: NewVolume,
  engineId: string | null,
): VolumeRow => ({
  id: newId('vol'),
  organizationId: project.organizationId,
  projectId: project.id,
  environment,
  name,
  service: service ?? null,
  path: plainPath(path),
  overlap: Number(overlap),
  engineId,
  removedAt: null,
  purge: 0,
  createdAt: Date.now(),
});

function plainPath(path: string): string {
  const read = readVolumePath(path);
  if ('problem' in read) throw badRequest(`path ${read.problem}`, 'path');
  return read.path;
}

function requireRow({ rows }: VolumeInventory, name: string, environment: string): VolumeRow {
  const row = rows.find((each) => each.name === name && each.environment === environment && each.removedAt === null);
  if (!row) throw notFound('volume');
  return row;
}
