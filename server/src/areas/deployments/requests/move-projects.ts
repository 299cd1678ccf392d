import type { Trx } from '../../../db/database.ts';
import type { AdoptionState, ServerTable } from '../../../db/tables.ts';
import { tenant } from '../../../db/tenant.ts';
import { conflict } from '../../../errors.ts';
import { moveAllProjects } from '../../projects/port.ts';
import { passUpkeep } from '../engine/server-upkeep-lease.ts';
import { selectHolds } from '../model/hold-store.ts';
import { moveLeftovers } from './project-leftovers.ts';

const decided: AdoptionState[] = ['confirmed', 'undone'];

/** Moves the projects of a cluster to another server of it, with all records that name the server because of them.
 * Fails while something is being deployed, backed up, restored or adopted. */
export async function moveProjects(trx: Trx, from: ServerTable, to: ServerTable): Promise<void> {
  const { organizationId } = from;
  const own = tenant(trx, organizationId);
  await moveAllProjects(trx, organizationId, from.id, to.id);
  await own.update('deployments', { serverId: to.id }).where('serverId', '=', from.id).execute();
  await own.update('adoptions', { serverId: to.id }).where('serverId', '=', from.id).execute();
  // Checked afterwards: from now on no worker can take one that would go on with the old server.
  await requireNothingRunning(trx, to);
  await requireAdoptionsDecided(trx, to);
  await moveLeftovers(trx, from.id, to.id);
  await passUpkeep(trx, from.id, to.id);
}

/** Names no project, because a member who may change the cluster may not see all of them. */
async function requireNothingRunning(trx: Trx, { organizationId, id: serverId }: ServerTable): Promise<void> {
  const on = () => tenant(trx, organizationId).select('deployments').select('id').where('serverId', '=', serverId);
  const busy = await on().where('status', 'in', ['building', 'deploying']).orderBy('id').executeTakeFirst();
  // A worker may hold a ready one for as long as it cannot end the previous release on a lost server.
  if (busy)
    throw conflict(
      `the deployment ${busy.id} is in progress. Try again when it has ended, or cancel it with \`mooring cancel ${busy.id}\``,
    );
  // Upkeep ends those whose job is over, also through another server.
  const held = (await selectHolds(trx)).filter(({ isOver }) => !isOver).map(({ deploymentId }) => deploymentId);
  if (held.length && (await on().where('id', 'in', held).executeTakeFirst()))
    throw conflict('a project of the cluster is being backed up or restored. Try again when that has ended');
}

/** The original containers are on the previous server, and only there can they be restored. */
async function requireAdoptionsDecided(trx: Trx, { organizationId, id }: ServerTable): Promise<void> {
  const open = await tenant(trx, organizationId)
    .select('adoptions')
    .select('projectId')
    .where('serverId', '=', id)
    .where('state', 'not in', decided)
    .executeTakeFirst();
  if (open)
    throw conflict(
      `the project ${open.projectId} adopts containers on that server. Confirm or undo the cut-over first, or delete the project`,
    );
}
