import type { OrganizationLimits } from '../../../config.ts';
import type { Trx } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import { lockOrganization } from '../../access/port.ts';
import type { DeploymentRow } from '../model/store.ts';
import { roomColumns, inMegabytes, inProcessors } from './room.ts';
import type { Room } from '../model/stack.ts';
import { selectReserved } from './room-store.ts';

/**
 * Rejects keeping a partial failure that exceeds the limits: parts of two deployments may need more together than each
 * of them, and without a check such leftovers would add up.
 */
export async function requireRoomToKeep(
  trx: Trx,
  row: DeploymentRow,
  { memoryBytes, cpus }: OrganizationLimits,
  room: Room,
): Promise<void> {
  await lockOrganization(trx, row.organizationId);
  const { others, own } = await selectReserved(trx, row);
  const wanted = roomColumns(room);
  if (memoryBytes !== null && wanted.reservedMemory > own.memory && others.memory + wanted.reservedMemory > memoryBytes)
    throw tooMuch(inMegabytes(wanted.reservedMemory), inMegabytes(memoryBytes));
  if (cpus !== null && wanted.reservedCpu > own.cpu && others.cpu + wanted.reservedCpu > cpus * 1000)
    throw tooMuch(inProcessors(wanted.reservedCpu), inProcessors(cpus * 1000));
}

const tooMuch = (wanted: string, most: string) =>
  new AppError(
    'limit_reached',
    `the services that succeeded need ${wanted} together with the unchanged ones, more than your organization has left of ${most}; reject the deployment`,
  );
