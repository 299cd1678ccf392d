import { z } from '../../../lib/zod/index.ts';
import type { Sql, Trx } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { TrafficTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { type TrafficSum, totalTraffic } from './histogram.ts';

const columns = ['requests', 'bytesIn', 'bytesOut', 'statuses', 'latency'] as const;

/** Replaces the counters of the same edge run and minute. */
export async function upsertMinutes(sql: Sql, rows: TrafficTable[]): Promise<void> {
  for (let i = 0; i < rows.length; i += 200)
    await sql
      .insertInto('traffic')
      .values(rows.slice(i, i + 200))
      .onConflict((conflict) =>
        conflict
          .columns(['projectId', 'environment', 'span', 'beginsAt', 'run'])
          .doUpdateSet((eb) => Object.fromEntries(columns.map((name) => [name, eb.ref(`excluded.${name}`)]))),
      )
      .execute();
}

/**
 * Returns the organizations of the projects on this server. An edge may still know deleted projects, and a server's
 * report is not trusted.
 */
export async function selectProjectOwners(
  sql: Sql,
  projectIds: string[],
  serverId: string | null,
): Promise<Map<string, string>> {
  const rows = await sql
    .selectFrom('projects')
    .leftJoin('servers', (join) => join.onRef('servers.id', '=', 'projects.serverId').on('servers.kind', '=', 'ssh'))
    .select(['projects.id', 'projects.organizationId'])
    .where('projects.id', 'in', projectIds)
    .where('servers.id', serverId === null ? 'is' : '=', serverId)
    .execute();
  return new Map(rows.map(({ id, organizationId }) => [id, organizationId]));
}

/** Returns the environments of the projects that were deployed to a server, as keys of the edge. */
export async function selectKeysOn(sql: Sql, serverId: string, projectIds: string[]): Promise<Set<string>> {
  const rows = await sql
    .selectFrom('deployments')
    .select(['projectId', 'environment'])
    .where('serverId', '=', serverId)
    .where('projectId', 'in', projectIds)
    .distinct()
    .execute();
  return new Set(rows.map(({ projectId, environment }) => `${projectId}/${environment}`));
}

export const selectTraffic = (
  sql: Sql,
  {
    organizationId,
    projectId,
    environment,
    since,
  }: { organizationId: string; projectId: string; environment: string; since: number },
): Promise<TrafficTable[]> =>
  tenant(sql, organizationId)
    .select('traffic')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('environment', '=', environment)
    .where('beginsAt', '>=', since)
    .execute();

/** Deletes and returns older minutes. Concurrent callers get disjoint rows. */
export const claimMinutesBefore = (trx: Trx, before: number): Promise<TrafficTable[]> =>
  trx.deleteFrom('traffic').where('span', '=', 'minute').where('beginsAt', '<', before).returningAll().execute();

export async function addToHour(trx: Trx, hour: TrafficTable): Promise<void> {
  const key = {
    projectId: hour.projectId,
    environment: hour.environment,
    span: 'hour' as const,
    beginsAt: hour.beginsAt,
    run: '',
  };
  await trx
    .insertInto('traffic')
    .values({ ...hour, ...trafficRow(totalTraffic([])) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  // The row exists by now; the update locks it against concurrent aggregation.
  const before = await trx
    .updateTable('traffic')
    .set((eb) => ({ requests: eb('requests', '+', 0) }))
    .where((eb) => eb.and(key))
    .returningAll()
    .executeTakeFirstOrThrow();
  await trx
    .updateTable('traffic')
    .set(trafficRow(totalTraffic([trafficSumIn(before), trafficSumIn(hour)])))
    .where((eb) => eb.and(key))
    .execute();
}

export const deleteTrafficBefore = (sql: Sql, before: number) =>
  sql.deleteFrom('traffic').where('beginsAt', '<', before).execute();

const readStatuses = storedJson('traffic.statuses', z.array(z.number()));
const readLatency = storedJson('traffic.latency', z.array(z.number()));

export const trafficSumIn = (row: TrafficTable): TrafficSum => ({
  requests: row.requests,
  bytesIn: row.bytesIn,
  bytesOut: row.bytesOut,
  statuses: readStatuses(row.statuses),
  latency: readLatency(row.latency),
});

export const trafficRow = ({ requests, bytesIn, bytesOut, statuses, latency }: TrafficSum) => ({
  requests,
  bytesIn,
  bytesOut,
  statuses: JSON.stringify(statuses),
  latency: JSON.stringify(latency),
});
