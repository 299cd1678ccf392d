import type { Sql } from '../../../db/database.ts';
import type { AdoptionState, AdoptionTable } from '../../../db/tables.ts';
import type { ProjectRef } from '../../domains/port.ts';
import { tenant } from '../../../db/tenant.ts';
import { AppError } from '../../../errors.ts';
import { selectServer } from '../../servers/port.ts';
import type { DeploymentRow } from './store.ts';
import { isAnyHeld, type Original, type Originals, originalsIn, withOriginal } from './originals.ts';

export type AdoptionRow = AdoptionTable;

export const selectAdoption = (sql: Sql, { organizationId, projectId }: ProjectRef) =>
  tenant(sql, organizationId).select('adoptions').selectAll().where('projectId', '=', projectId).executeTakeFirst();

/** Returns the server of an adopted project in the form that deployments use: null for this machine. */
export async function serverOfAdoption(sql: Sql, { organizationId, serverId }: AdoptionRow): Promise<string | null> {
  const server = await selectServer(sql, organizationId, serverId);
  return server?.kind === 'this_machine' ? null : serverId;
}

type Where = Pick<DeploymentRow, 'organizationId' | 'projectId' | 'environment' | 'serverId'>;

/** Returns the containers that a deployment replaces: only in production, and only on the server where they run. */
export async function originalsFor(sql: Sql, where: Where): Promise<Originals> {
  const row = where.environment === 'production' ? await selectAdoption(sql, where) : undefined;
  if (!row || !['adopted', 'switched', 'undone'].includes(row.state)) return {};
  if ((await serverOfAdoption(sql, row)) !== where.serverId) return {};
  // Another project may have adopted containers that an undo gave back.
  const others = row.state === 'undone' ? await selectTakenByOthers(sql, row.projectId) : new Set<string>();
  const isOurs = ({ containerId, isRemoved }: Original) => !isRemoved && !others.has(containerId);
  const kept = Object.entries(originalsIn(row)).map(([name, all]) => [name, all.filter(isOurs)] as const);
  return Object.fromEntries(kept.filter(([, all]) => all.length));
}

async function selectTakenByOthers(sql: Sql, projectId: string): Promise<Set<string>> {
  const rows = await sql
    .selectFrom('adoptions')
    .select('originals')
    .where('projectId', '!=', projectId)
    .where('state', '!=', 'undone')
    .execute();
  return new Set(rows.flatMap((row) => Object.values(originalsIn(row)).flat()).map(({ containerId }) => containerId));
}

/** Updates one container's record; retries if a concurrent write changed the row. */
export async function updateOriginal(
  sql: Sql,
  of: ProjectRef,
  containerId: string,
  change: (original: Original) => Original,
): Promise<void> {
  for (;;) {
    const row = await selectAdoption(sql, of);
    // The project was deleted.
    if (!row) return;
    const originals = withOriginal(originalsIn(row), containerId, change);
    const now = { originals: JSON.stringify(originals), state: stateAfter(row, originals), updatedAt: Date.now() };
    const { numUpdatedRows } = await tenant(sql, of.organizationId)
      .update('adoptions', now)
      .where('projectId', '=', of.projectId)
      .where('originals', '=', row.originals)
      .where('state', '=', row.state)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) return;
  }
}

/** An undo or a confirmation sets the next state itself. */
function stateAfter({ state }: AdoptionRow, originals: Originals): AdoptionState {
  if (state === 'undoing' || state === 'confirming') return state;
  if (isAnyHeld(originals)) return 'switched';
  return state === 'switched' ? 'adopted' : state;
}

/** Changes the state only from one of `before`; returns whether it did. */
export async function updateAdoption(
  sql: Sql,
  { organizationId, projectId }: ProjectRef,
  before: AdoptionState[],
  state: AdoptionState,
): Promise<boolean> {
  const { numUpdatedRows } = await tenant(sql, organizationId)
    .update('adoptions', { state, updatedAt: Date.now() })
    .where('projectId', '=', projectId)
    .where('state', 'in', before)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Whether the cut-over is being undone. */
export const isUndoing = async (sql: Sql, of: ProjectRef): Promise<boolean> =>
  (await selectAdoption(sql, of))?.state === 'undoing';

/** Rejects deployments while a cut-over is undone or confirmed, because that changes which containers serve. */
export async function requireNotUndoing(sql: Sql, of: ProjectRef): Promise<void> {
  const { state } = (await selectAdoption(sql, of)) ?? {};
  if (state !== 'undoing' && state !== 'confirming') return;
  const what = state === 'undoing' ? 'undone' : 'confirmed';
  throw new AppError(
    'not_allowed_now',
    `the cut-over of this project is being ${what}; try again when that has finished`,
  );
}

/** Adoptions of all organizations that are switched, or being undone or confirmed. */
export const selectUnfinishedAdoptions = (sql: Sql) =>
  sql.selectFrom('adoptions').selectAll().where('state', 'in', ['switched', 'undoing', 'confirming']).execute();
