import type { EngineClient } from '../docker/engine/client.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../runtime.ts';
import { limitConcurrency, KeyedQueue } from '../../../lib/concurrency.ts';
import { onceLabel } from '../docker/labels.ts';
import { type OwnService, OwnServices } from './own-services.ts';
import { currentTask, serviceView } from './service-view.ts';
import { untilTaskRuns } from './task-waits.ts';
import { hasTaskEnded } from './types.ts';

const endMs = 60_000;
/** Sequential moves of many services would exceed the timeouts of HTTP clients. */
const atOnce = 4;

interface MoveOptions {
  /** Runs the task while requests to the release wait. */
  whileHeld: (instance: Instance, move: () => Promise<void>) => Promise<void>;
  /** Resolves when the release answers. */
  untilAnswers: (instance: Instance) => Promise<void>;
}

/** Returns our services that run on a node, those that are bound to it, and jobs, which cannot be started again. */
export async function servicesOn(
  services: OwnServices,
  nodeId: string,
): Promise<Record<'movable' | 'bound' | 'jobs', OwnService[]>> {
  const there = (await services.list()).filter(
    ({ info, tasks }) => currentTask(info.Spec, tasks)?.NodeID === nodeId || isBoundTo(info.Spec, nodeId),
  );
  const groupOf = ({ info: { Spec } }: OwnService) =>
    onceLabel in Spec.Labels ? 'jobs' : isBoundTo(Spec, nodeId) ? 'bound' : 'movable';
  return { movable: [], bound: [], jobs: [], ...Object.groupBy(there, groupOf) };
}

/** Starts the services of a node on others, which must accept tasks, before it stops them there. */
export async function moveServices(
  engine: EngineClient,
  instanceId: string,
  nodeId: string,
  { whileHeld, untilAnswers }: MoveOptions,
): Promise<void> {
  const services = new OwnServices(engine, instanceId);
  const { movable } = await servicesOn(services, nodeId);
  const moveOne = (service: OwnService) => {
    const instance = serviceView(service);
    return whileHeld(instance, async () => {
      const started = await services.update(service, (spec) => ({
        ...spec,
        UpdateConfig: { Parallelism: 1, Order: 'start-first' },
        TaskTemplate: { ...spec.TaskTemplate, ForceUpdate: (spec.TaskTemplate.ForceUpdate ?? 0) + 1 },
      }));
      await untilTaskRuns(services, started);
      await untilLeft(services, started, nodeId);
      if (instance.port > 0) await untilAnswers(instance);
    });
  };
  const few = limitConcurrency(atOnce);
  const turns = new KeyedQueue();
  const moved = await Promise.allSettled(
    movable.map((each) => {
      const { deploymentId, service } = each.owner;
      // Replicas one after the other: the others serve meanwhile.
      return turns.take(`${deploymentId}/${service}`, () => few(() => moveOne(each)));
    }),
  );
  const failed = moved.find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

/** The name leads to both until the one on the node has ended. */
async function untilLeft(services: OwnServices, service: OwnService, nodeId: string): Promise<void> {
  for (const giveUp = Date.now() + endMs; ; await sleep(200)) {
    const tasks = await services.tasksOf(service);
    if (tasks.every((task) => task.NodeID !== nodeId || hasTaskEnded(task))) return;
    if (Date.now() > giveUp) throw new Error(`${service.info.Spec.Name} did not stop on its node`);
  }
}

const isBoundTo = ({ TaskTemplate }: OwnService['info']['Spec'], nodeId: string): boolean =>
  TaskTemplate.Placement?.Constraints?.includes(`node.id==${nodeId}`) ?? false;
