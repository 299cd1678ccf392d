import { sql } from 'kysely';
import type { Sql, Trx } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import type { DeploymentRow } from '../model/store.ts';

/** What runs on the machines of the cloud, or is about to. In the words of the index. */
const isCounted = sql<boolean>`(active = 1 or status in ('building', 'deploying', 'partial_failure'))`;

/** For each project and environment what its release needs, or what is to replace that if it is more: either may run on. */
export const countedOf = (db: Sql, organizationId: string) =>
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

/** Whosever they are: what runs here and has nothing written down of what it needs, those that serve first. */
export const selectUncounted = (db: Sql): Promise<DeploymentRow[]> =>
  db
    .selectFrom('deployments')
    .selectAll()
    .where(isCounted)
    // What is being built says by itself what it needs, before it is started.
    .where('status', '!=', 'building')
    .where('serverId', 'is', null)
    .where('reservedMemory', '=', 0)
    .where('reservedCpu', '=', 0)
    .orderBy('active', 'desc')
    .orderBy('id')
    .execute();

/** Unless it was written down by somebody else meanwhile. */
export const updateUncounted = (db: Sql, row: DeploymentRow, change: Partial<DeploymentRow>) =>
  tenant(db, row.organizationId)
    .update('deployments', change)
    .where('id', '=', row.id)
    .where('reservedMemory', '=', 0)
    .where('reservedCpu', '=', 0)
    .where((eb) => (row.services === null ? eb('services', 'is', null) : eb('services', '=', row.services)))
    .execute();

type Reserved = { memory: number; cpu: number };

/** What everything else of the organization has, and what serves in the place of this deployment. */
export async function selectReserved(
  trx: Trx,
  { id, organizationId, projectId, environment }: DeploymentRow,
): Promise<{ others: Reserved; own: Reserved }> {
  const all = await countedOf(trx, organizationId).where('deployments.id', '!=', id).execute();
  const isOwn = (each: { projectId: string; environment: string }) =>
    each.projectId === projectId && each.environment === environment;
  return { others: sumOf(all.filter((each) => !isOwn(each))), own: sumOf(all.filter(isOwn)) };
}

const sumOf = (rows: Reserved[]): Reserved =>
  rows.reduce((a, b) => ({ memory: a.memory + b.memory, cpu: a.cpu + b.cpu }), { memory: 0, cpu: 0 });
