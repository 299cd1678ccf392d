import type { Trx } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { conflict } from '../../../errors.ts';
import { moveAllProjects } from '../../projects/port.ts';
import { passUpkeep } from '../engine/server-upkeep-lease.ts';
import { moveLeftovers } from './project-leftovers.ts';

/** Moves the projects of a cluster to another server of it, with all records that name the server because of them.
 * Fails while something is being deployed. */
export async function moveProjects(trx: Trx, from: ServerTable, to: ServerTable): Promise<void> {
  const { organizationId } = from;
  const own = tenant(trx, organizationId);
  await moveAllProjects(trx, organizationId, from.id, to.id);
  await own.update('deployments', { serverId: to.id }).where('serverId', '=', from.id).execute();
  // Checked afterwards: from now on no worker can take one that would go on with the old server.
  const busy = await own
    .select('deployments')
    .innerJoin('projects', 'projects.id', 'deployments.projectId')
    .select(['deployments.id', 'projects.name'])
    .where('deployments.serverId', '=', to.id)
    .where('deployments.status', 'in', ['building', 'deploying'])
    .orderBy('deployments.id')
    .executeTakeFirst();
  if (busy)
    throw conflict(
      `${busy.name} is being deployed (${busy.id}). Try again when that has ended, or cancel it with \`mooring cancel ${busy.id}\``,
    );
  await moveLeftovers(trx, from.id, to.id);
  await passUpkeep(trx, from.id, to.id);
}
