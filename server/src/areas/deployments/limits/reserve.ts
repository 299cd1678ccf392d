import type { StepContext } from '../model/step.ts';
import { isBroken, isSiteState, type Room, type ServiceState } from '../model/stack.ts';
import { limitsOf } from './service-limits.ts';
import { replicaNumbers } from '../model/scale.ts';
import { selectActive } from '../model/store.ts';
import { type ContainerCeiling, ceilingOf } from './container.ts';
import { inMegabytes, inProcessors, noRoom, noteRoom, reserveRoom, totalRoom } from './room.ts';

/**
 * Reserves resources for all services before anything starts. An app's release command uses the app's share, because
 * it exits before the app starts.
 */
export async function reserveForServices(context: StepContext): Promise<void> {
  const { parts, config, stack, db, deployment } = context;
  const ceiling = ceilingOf(parts, config);
  if (!ceiling.bounds) return;
  tellCut(context, ceiling);
  const { organizationId, projectId, environment } = deployment;
  const active = await selectActive(db, organizationId, projectId, environment);
  const before = (active && stack.of(active)?.states) ?? [];
  const { services } = stack.wanted.project;
  const states = stack.states.all().map((state): ServiceState => {
    const service = services.find(({ name }) => name === state.name);
    const each = service && !isSiteState(state) ? roomOf(limitsOf(service, ceiling, parts.mode)) : noRoom;
    const room = totalRoom(replicaNumbers({ stack: stack.wanted, states: [state] }, state.name).map(() => each));
    return { ...state, room, roomBefore: before.find(({ name }) => name === state.name)?.room ?? noRoom };
  });
  await reserveRoom(context, totalRoom(states.map(({ room }) => room!)));
  await stack.states.replaceAll(states);
}

/** A partially failed deployment runs in two versions, and both count until someone decides. */
export async function noteServices({ parts, stack, db, deployment }: StepContext): Promise<void> {
  if (!parts.limits || parts.server !== null) return;
  await noteRoom(db, deployment, runningRoom(stack.states.all()));
}

/** Returns the resources of the services that run now, in whichever version. */
export function runningRoom(states: readonly ServiceState[]): Room {
  const rooms = states.map((state) => {
    if (state.runsOf === null) return noRoom;
    const isAsBefore = isBroken(state) || state.change === 'remove';
    return (isAsBefore ? state.roomBefore : state.room) ?? noRoom;
  });
  return totalRoom(rooms);
}

/** Minimum per container: the engine's own processes and networks for it are not limited. */
const leastCounted = 64 * 1_048_576;

export const roomOf = ({ memoryBytes, cpus }: Pick<ContainerCeiling, 'memoryBytes' | 'cpus'>): Room => ({
  memoryBytes: memoryBytes === null ? 0 : Math.max(memoryBytes, leastCounted),
  cpus: cpus ?? 0,
});

/** Warns that a project gets less than it asks for. */
function tellCut({ log }: StepContext, { memoryBytes, cpus, bounds }: ContainerCeiling): void {
  const [memory, processors] = [bounds?.memoryBytes.most ?? Infinity, bounds?.cpus.most ?? Infinity];
  if ((memoryBytes ?? 0) > memory) log(`A container gets at most ${inMegabytes(memory)} here`, 'warn');
  if ((cpus ?? 0) > processors) log(`A container gets at most ${inProcessors(processors * 1000)} here`, 'warn');
}
