import { configIn } from '../model/stored.ts';
import type { Db } from '../../../db/database.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Parts } from '../model/parts.ts';
import { isSiteState, type Room, type ServiceState, serviceStatesOf } from '../model/stack.ts';
import { stackOf } from '../model/run-stack.ts';
import { limitsOf } from '../limits/service-limits.ts';
import { ceilingOf } from '../limits/container.ts';
import { roomOf, runningRoom } from '../limits/reserve.ts';
import { roomColumns, noRoom } from '../limits/room.ts';
import { selectUncounted, updateUncounted } from '../limits/room-store.ts';

type Deps = { db: Db; sealer: Sealer; parts: Parts };

/**
 * Records the resources of deployments that started before limits existed, or before cloud mode: otherwise the
 * organization could use its limits once more beside them.
 */
export async function reserveUncounted({ db, sealer, parts }: Deps): Promise<void> {
  if (!parts.limits || parts.server !== null) return;
  const services = new Map<string, ServiceState[]>();
  // Active ones come first, because partial failures are compared with them.
  for (const row of await selectUncounted(db)) {
    const config = configIn(sealer, row);
    const ceiling = ceilingOf(parts, config);
    const stack = stackOf(sealer, row);
    if (!stack) continue;
    const place = `${row.projectId}/${row.environment}`;
    const before = services.get(place) ?? [];
    const states = serviceStatesOf(row).map((state): ServiceState => {
      const service = stack.project.services.find(({ name }) => name === state.name);
      const room = service && !isSiteState(state) ? roomOf(limitsOf(service, ceiling, parts.mode)) : noRoom;
      return { ...state, room, roomBefore: roomIn(before, state.name) };
    });
    if (row.active) services.set(place, states);
    await updateUncounted(db, row, { ...roomColumns(runningRoom(states)), services: JSON.stringify(states) });
  }
}

const roomIn = (states: readonly ServiceState[], wanted: string): Room =>
  states.find(({ name }) => name === wanted)?.room ?? noRoom;
