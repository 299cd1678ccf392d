import type { Sql } from '../../../db/database.ts';
import type { AdoptionState, AdoptionTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { AppError } from '../../../errors.ts';
import { selectServer } from '../../servers/port.ts';
import type { DeploymentRow } from './store.ts';
import { isAnyHeld, type Original, type Originals, originalsIn, withOriginal } from './originals.ts';

export type AdoptionRow = AdoptionTable;
type Of = Pick<AdoptionTable, 'organizationId' | 'projectId'>;

export const selectAdoption = (sql: Sql, { organizationId, projectId }: Of) =>
  tenant(sql, organizationId).select('adoptions').selectAll().where('projectId', '=', projectId).executeTakeFirst();

/** The server that what was taken over is on, as deployments have it; null for this machine. */
export async function serverOf(sql: Sql, { organizationId, serverId }: AdoptionRow): Promise<string | null> {
  const server = await selectServer(sql, organizationId, serverId);
  return server?.kind === 'this_machine' ? null : serverId;
}

type Where = Pick<DeploymentRow, 'organizationId' | 'projectId' | 'environment' | 'serverId'>;

/** What a deployment takes over from: only where the originals are, and only for the environment that people use. */
export async function originalsFor(sql: Sql, where: Where): Promise<Originals> {
  const row = where.environment === 'production' ? await selectAdoption(sql, where) : undefined;
  if (!row || !['adopted', 'switched', 'undone'].includes(row.state)) return {};
  if ((await serverOf(sql, row)) !== where.serverId) return {};
  // What was given back may be another project's by now.
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

/** Changes what is known of one container, whatever others write down meanwhile. */
export async function noteOriginal(
  sql: Sql,
  of: Of,
  containerId: string,
  change: (original: Original) => Original,
): Promise<void> {
  for (;;) {
    const row = await selectAdoption(sql, of);
    // The project is gone, and all that was known with it.
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

/** Who undoes or confirms says when that is done. */
function stateAfter({ state }: AdoptionRow, originals: Originals): AdoptionState {
  if (state === 'undoing' || state === 'confirming') return state;
  if (isAnyHeld(originals)) return 'switched';
  return state === 'switched' ? 'adopted' : state;
}

/** Only from one of `before`; says whether it was in one of them. */
export async function updateAdoption(
  sql: Sql,
  { organizationId, projectId }: Of,
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

/** Whether containers are about to go back to what they were. */
export const isUndoing = async (sql: Sql, of: Of): Promise<boolean> =>
  (await selectAdoption(sql, of))?.state === 'undoing';

/** Nothing is deployed while somebody undoes or confirms: what was there before counts again, or does not any more. */
export async function requireNotUndoing(sql: Sql, of: Of): Promise<void> {
  const { state } = (await selectAdoption(sql, of)) ?? {};
  if (state !== 'undoing' && state !== 'confirming') return;
  const what = state === 'undoing' ? 'undone' : 'confirmed';
  throw new AppError(
    'not_allowed_now',
    `the cut-over of this project is being ${what}; try again when that has finished`,
  );
}

/** Those that somebody has begun to undo or to confirm, and those that something is stopped for, whosever they are. */
export const selectUnfinished = (sql: Sql) =>
  sql.selectFrom('adoptions').selectAll().where('state', 'in', ['switched', 'undoing', 'confirming']).execute();
