import type { OrganizationLimits } from '../../../config.ts';
import type { Trx } from '../../../db/database.ts';
import { appendEvents } from '../../../events/event-log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { requireRoomToKeep } from '../limits/room-to-keep.ts';
import { runningRoom } from '../limits/reserve.ts';
import { roomColumns } from '../limits/room.ts';
import { planOfReject } from '../model/plan.ts';
import {
  type DeploymentRow,
  deactivatePreviousRelease,
  selectActive,
  selectDeployment,
  updateDeployment,
} from '../model/store.ts';
import { replaceWaitingSteps, resetSteps } from '../model/step-store.ts';
import { updatePending } from '../model/stack-store.ts';
import { keptStack } from './kept-stack.ts';
import { stackSealLocation, serviceStatesOf } from '../model/stack.ts';
import { stackOf } from '../model/run-stack.ts';

/** An expired lease, so that any worker may continue. A worker that still holds the deployment continues itself. */
const forAnybody = { leaseOwner: 'decision', leaseUntil: 0 };

/**
 * Accepts the services that work as the active release, with the rest in their previous version. False if no decision
 * is pending.
 */
export async function keepServices(
  trx: Trx,
  sealer: Sealer,
  row: DeploymentRow,
  limits?: OrganizationLimits,
): Promise<boolean> {
  const { id, organizationId, projectId, environment } = row;
  const finishedAt = Date.now();
  const change: Partial<DeploymentRow> = { status: 'ready', decision: 'kept', error: null, finishedAt };
  if (!(await updatePending(trx, organizationId, id, change))) return false;
  const now = (await selectDeployment(trx, organizationId, id))!;
  const active = await selectActive(trx, organizationId, projectId, environment);
  const older = active && stackOf(sealer, active);
  const before = older && { stack: older, states: serviceStatesOf(active) };
  const { stack, states } = keptStack({ stack: stackOf(sealer, now)!, states: serviceStatesOf(now) }, before);
  const room = runningRoom(states);
  if (limits && row.serverId === null) await requireRoomToKeep(trx, row, limits, room);
  await deactivatePreviousRelease(trx, row);
  await updateDeployment(trx, organizationId, id, {
    active: 1,
    stack: sealer.seal(JSON.stringify(stack), stackSealLocation(id)),
    services: JSON.stringify(states),
    ...(limits && roomColumns(room)),
    ...(now.leaseOwner === null && forAnybody),
  });
  // `retire` runs again and removes the services that were to go.
  await resetSteps(trx, id, ['retire']);
  await appendEvents(trx, id, [
    { type: 'status', at: finishedAt, data: { status: 'ready', decision: 'kept' } },
    { type: 'end', at: finishedAt, data: { status: 'ready' } },
  ]);
  return true;
}

/** Rejects the deployment; a worker rolls back its changes. */
export async function rejectServices(trx: Trx, row: DeploymentRow): Promise<boolean> {
  const { id, organizationId } = row;
  const change: Partial<DeploymentRow> = { status: 'deploying', decision: 'rejected', switching: 1 };
  if (!(await updatePending(trx, organizationId, id, change))) return false;
  const now = (await selectDeployment(trx, organizationId, id))!;
  if (now.leaseOwner === null) await updateDeployment(trx, organizationId, id, forAnybody);
  await replaceWaitingSteps(trx, id, planOfReject);
  const data = { status: 'deploying', decision: 'rejected' };
  await appendEvents(trx, id, [{ type: 'status', at: Date.now(), data }]);
  return true;
}
