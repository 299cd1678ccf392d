import type { Db, Sql } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { forbidden, notAllowedNow } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import type { Sealer } from '../../../lib/seal.ts';
import {
  type AdoptionRow,
  type Machines,
  type Original,
  originalsIn,
  type Parts,
  requireContainers,
  selectAdoption,
  serverOfAdoption,
} from '../../deployments/port.ts';
import { visibleProject } from '../../projects/port.ts';
import { visibleServer } from '../../servers/port.ts';
import { inspectionFailed } from '../scan/failures.ts';

export type AdoptionWithProject = { row: AdoptionRow; project: ProjectTable };

export type CutOverDeps = { db: Db; sealer: Sealer; machines: Machines };

/** Returns the adoption of a project, for callers with write access to the project and its server. */
export async function adoptionFor(db: Db, caller: Caller, projectId: string): Promise<AdoptionWithProject> {
  const project = await visibleProject(db, caller, projectId, 'write');
  if (!hasPermission(caller, 'project:write')) throw forbidden('this needs the permission project:write');
  const row = await selectAdoption(db, { organizationId: caller.organization.id, projectId });
  if (!row) throw notAllowedNow('this project has not adopted anything');
  const { kind } = await visibleServer(db, caller, row.serverId, 'write');
  if (kind === 'this_machine' && !caller.isInstanceOwner)
    throw forbidden('only the instance owner can change containers on this machine');
  return { row, project };
}

export async function machineParts(
  { db, machines }: Pick<CutOverDeps, 'db' | 'machines'>,
  row: AdoptionRow,
): Promise<Parts> {
  return machines.of({ organizationId: row.organizationId, serverId: await serverOfAdoption(db, row) });
}

export const allOriginals = (row: AdoptionRow): Original[] => Object.values(originalsIn(row)).flat();

/** Returns the adoption as stored now. */
export async function reloadAdoption(sql: Sql, row: AdoptionRow): Promise<AdoptionRow> {
  return (await selectAdoption(sql, row)) ?? row;
}

/** Checks that the engine responds before anything is stored. */
export async function requireEngineReached(deps: CutOverDeps, row: AdoptionRow): Promise<void> {
  await withServerErrors(async () => {
    const { originals } = requireContainers(await machineParts(deps, row));
    const [first] = allOriginals(row);
    if (first) await originals.look(first.containerId);
  });
}

/** Whether any stopped original still exists: they may have been removed manually. */
export const isAnyThere = (deps: CutOverDeps, row: AdoptionRow): Promise<boolean> =>
  withServerErrors(async () => {
    const { originals } = requireContainers(await machineParts(deps, row));
    const held = allOriginals(row).filter((each) => each.held);
    const found = await Promise.all(held.map(({ containerId }) => originals.look(containerId)));
    return found.some((each) => each !== undefined);
  });

/** Reports an unreachable server as a 502 with the reason. */
export async function withServerErrors<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw inspectionFailed(error, new AbortController().signal, 0);
  }
}
