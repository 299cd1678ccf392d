import { sql } from 'kysely';
import type { Sql, Trx } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import type { DeploymentRow } from '../model/store.ts';

/** Deployments that use the cloud's machines, or are about to. Must match the condition of the index. */
const isCounted = sql<boolean>`(active = 1 or status in ('building', 'deploying', 'partial_failure'))`;

/** Per project and environment, the larger of the active release and its replacement: either may stay. */
export const selectReservations = (db: Sql, organizationId: string) =>
  tenant(db, organizationId)
    .select('deployments')
    .where(isCounted)
    .where('deployments.serverId', 'is', null)
    .select((eb) => [
      'deployments.projectId',
      'deployments.environment',
      eb.fn.max('deployments.reservedMemory').as('memory'),
      eb.fn.max('deployments.reservedCpu').as('cpu'),
    ])
    .groupBy(['deployments.projectId', 'deployments.environment']);

/** Deployments of all organizations that run here without a reservation, active ones first. */
export const selectUncounted = (db: Sql): Promise<DeploymentRow[]> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where(isCounted)
    // A deployment that is building makes its own reservation before it starts.
    .where('status', '!=', 'building')
    .where('serverId', 'is', null)
    .where('reservedMemory', '=', 0)
    .where('reservedCpu', '=', 0)
    .orderBy('active', 'desc')
    .orderBy('id')
    .execute();

/** Skips rows that another replica has counted in the meantime. */
export const updateUncounted = (db: Sql, row: DeploymentRow, change: Partial<DeploymentRow>) =>
  tenant(db, row.organizationId)
    .update('deployments', change)
    .where('id', '=', row.id)
    .where('reservedMemory', '=', 0)
    .where('reservedCpu', '=', 0)
    .where((eb) => (row.services === null ? eb('services', 'is', null) : eb('services', '=', row.services)))
    .execute();

type Reserved = { memory: number; cpu: number };

/** Returns what the rest of the organization has reserved, and what the active release of this environment has. */
export async function selectReserved(
  trx: Trx,
  { id, organizationId, projectId, environment }: DeploymentRow,
): Promise<{ others: Reserved; own: Reserved }> {
  const all = await selectReservations(trx, organizationId).where('deployments.id', '!=', id).execute();
  const isOwn = (each: { projectId: string; environment: string }) =>
    each.projectId === projectId && each.environment === environment;
  return { others: sumOf(all.filter((each) => !isOwn(each))), own: sumOf(all.filter(isOwn)) };
}

const sumOf = (rows: Reserved[]): Reserved =>
  rows.reduce((a, b) => ({ memory: a.memory + b.memory, cpu: a.cpu + b.cpu }), { memory: 0, cpu: 0 });
