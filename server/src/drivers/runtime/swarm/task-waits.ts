import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnService, OwnServices } from './own-services.ts';
import { currentTask, isOfSpec } from './service-view.ts';
import { hasTaskEnded, isTaskUp, type TaskInfo } from './types.ts';

const everyMs = 100;
/** A node may have to pull the image first. */
const startMs = 15 * 60_000;
/** How long no node may be found before it is an error. */
const unplacedMs = 10_000;
/** How long the Swarm may not look for a node. */
const undecidedMs = 90_000;
const goneMs = 60_000;

/** Waits until a task of the service runs or has run. Throws if no node can run it. */
export async function untilTaskRuns(services: OwnServices, service: OwnService): Promise<OwnService> {
  const began = Date.now();
  for (let { tasks } = service; ; tasks = await services.tasksOf(service)) {
    const own = tasks.filter((task) => isOfSpec(service.info.Spec, task));
    const [newest] = own;
    if (currentTask(service.info.Spec, tasks) || own.some(hasRun)) return { ...service, tasks };
    if (newest && hasTaskEnded(newest)) throw new Error(`a node of the Swarm could not start it: ${reasonOf(newest)}`);
    const waitedMs = Date.now() - began;
    // Without a reason, the Swarm has not looked for a node yet: it may be electing a leader.
    if (newest?.Status.State === 'pending' && waitedMs > (newest.Status.Err ? unplacedMs : undecidedMs))
      throw new Error(`no node of the Swarm can run it: ${reasonOf(newest)}`);
    if (waitedMs > startMs) throw new Error(`it did not start within ${startMs / 60_000} minutes`);
    await sleep(everyMs);
  }
}

/** Waits until no container of the service runs. */
export async function untilTasksEnd(services: OwnServices, service: OwnService, graceMs: number): Promise<void> {
  for (const giveUp = Date.now() + graceMs + goneMs; ; await sleep(everyMs)) {
    const left = (await services.tasksOf(service)).filter((task) => isTaskUp(task));
    if (!left.length) return;
    if (Date.now() > giveUp) throw new Error(`${service.info.Spec.Name} did not stop: ${reasonOf(left[0]!)}`);
  }
}

/** Whether its container has started and ended. One that was never created has no exit code. */
const hasRun = (task: TaskInfo): boolean =>
  hasTaskEnded(task) && Boolean(task.Status.ContainerStatus?.ContainerID) && task.Status.State !== 'rejected';

const reasonOf = ({ Status: { Err, Message, State } }: TaskInfo): string => Err || Message || State;
