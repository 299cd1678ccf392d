import type { Room } from '../model/stack.ts';
import { type Db, inTransaction } from '../../../db/database.ts';
import { LostLeaseError } from '../../../events/event-log.ts';
import { lockOrganization } from '../../access/port.ts';
import { StepError } from '../model/model.ts';
import { updateUnderFence } from '../model/queue.ts';
import type { StepContext } from '../model/step.ts';
import type { DeploymentRow } from '../model/store.ts';
import { selectReserved } from './room-store.ts';

export const noRoom: Room = { memoryBytes: 0, cpus: 0 };

export const totalRoom = (all: readonly Room[]): Room =>
  all.reduce((a, b) => ({ memoryBytes: a.memoryBytes + b.memoryBytes, cpus: a.cpus + b.cpus }), noRoom);

export const roomColumns = ({ memoryBytes, cpus }: Room): Pick<DeploymentRow, 'reservedMemory' | 'reservedCpu'> => ({
  reservedMemory: memoryBytes,
  reservedCpu: Math.ceil(cpus * 1000),
});

/**
 * Reserves resources if the organization has enough left. The transaction settles the race for the last of them, and a
 * retry after a crash reserves the same amount.
 */
export async function reserveRoom({ parts, db, deployment }: StepContext, wanted: Room): Promise<void> {
  const { limits, server } = parts;
  if (!limits || server !== null) return;
  const columns = roomColumns(wanted);
  await inTransaction(db, async (trx) => {
    await lockOrganization(trx, deployment.organizationId);
    const { others, own } = await selectReserved(trx, deployment);
    // A release no larger than the active one always fits, whatever others have reserved since.
    if (limits.memoryBytes !== null && columns.reservedMemory > own.memory)
      requireFit('memory', { used: others.memory, wanted: columns.reservedMemory, most: limits.memoryBytes });
    if (limits.cpus !== null && columns.reservedCpu > own.cpu)
      requireFit('cpu', { used: others.cpu, wanted: columns.reservedCpu, most: limits.cpus * 1000 });
    if (!(await updateUnderFence(trx, deployment.id, deployment.fence, columns)))
      throw new LostLeaseError(`deployment ${deployment.id} was taken over by another replica`);
  });
  Object.assign(deployment, columns);
}

/** Records the resources of a deployment that runs already and cannot be refused. */
export const noteRoom = (db: Db, { id, fence }: DeploymentRow, room: Room): Promise<boolean> =>
  updateUnderFence(db, id, fence, roomColumns(room));

type Fit = { used: number; wanted: number; most: number };

function requireFit(what: 'memory' | 'cpu', { used, wanted, most }: Fit): void {
  if (used + wanted <= most) return;
  const show = what === 'memory' ? inMegabytes : inProcessors;
  throw new StepError(
    'limit_reached',
    `this needs ${show(wanted)}, and of the ${show(most)} of your organization ${show(used)} are in use`,
    'The previous release is still serving. Lower the resources of the project, or delete deployments that are not needed, and redeploy.',
  );
}

export const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB of memory`;
export const inProcessors = (thousandths: number): string =>
  thousandths === 1000 ? '1 processor' : `${thousandths / 1000} processors`;
