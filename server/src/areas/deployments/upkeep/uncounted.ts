import { configIn } from '../model/stored.ts';
import type { Db } from '../../../db/database.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Parts } from '../model/parts.ts';
import { isSiteState, type Room, type ServiceState, statesOf } from '../model/stack.ts';
import { stackOf } from '../model/run-stack.ts';
import { limitsOf } from '../limits/service-limits.ts';
import { ceilingOf } from '../limits/container.ts';
import { roomOf, runningRoom } from '../limits/reserve.ts';
import { columnsOf, noRoom } from '../limits/room.ts';
import { selectUncounted, updateUncounted } from '../limits/room-store.ts';

type Deps = { db: Db; sealer: Sealer; parts: Parts };

/** Counts what runs since before anything was counted, or since before this was a cloud: else an organization could have its
 * limits once more beside it. What is there counts as much as it would have been given. */
export async function countUncounted({ db, sealer, parts }: Deps): Promise<void> {
  if (!parts.limits || parts.server !== null) return;
  const services = new Map<string, ServiceState[]>();
  // Those that serve come first: what came out half is held against them.
  for (const row of await selectUncounted(db)) {
    const config = configIn(sealer, row);
    const ceiling = ceilingOf(parts, config);
    const stack = stackOf(sealer, row);
    if (!stack) continue;
    const place = `${row.projectId}/${row.environment}`;
    const before = services.get(place) ?? [];
    const states = statesOf(row).map((state): ServiceState => {
      const service = stack.project.services.find(({ name }) => name === state.name);
      const room = service && !isSiteState(state) ? roomOf(limitsOf(service, ceiling, parts.mode)) : noRoom;
      return { ...state, room, roomBefore: roomIn(before, state.name) };
    });
    if (row.active) services.set(place, states);
    await updateUncounted(db, row, { ...columnsOf(runningRoom(states)), services: JSON.stringify(states) });
  }
}

const roomIn = (states: readonly ServiceState[], wanted: string): Room =>
  states.find(({ name }) => name === wanted)?.room ?? noRoom;
