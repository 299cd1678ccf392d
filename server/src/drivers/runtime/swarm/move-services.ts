import type { EngineClient } from '../docker/engine/client.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instance } from '../runtime.ts';
import { type OwnService, OwnServices } from './own-services.ts';
import { currentTask, serviceView } from './service-view.ts';
import { untilBegun } from './task-waits.ts';
import { hasTaskEnded } from './types.ts';

const endMs = 60_000;

interface MoveOptions {
  /** Runs the task while requests to the release wait. */
  whileHeld: (instance: Instance, move: () => Promise<void>) => Promise<void>;
  /** Resolves when the release answers. */
  untilAnswers: (instance: Instance) => Promise<void>;
}

/** Returns our services that run on a node, and those that are bound to it. */
export async function servicesOn(
  services: OwnServices,
  nodeId: string,
): Promise<{ movable: OwnService[]; bound: OwnService[] }> {
  const there = (await services.list()).filter(
    ({ info, tasks }) => currentTask(info.Spec, tasks)?.NodeID === nodeId || isBoundTo(info.Spec, nodeId),
  );
  const { movable = [], bound = [] } = Object.groupBy(there, ({ info }) =>
    isBoundTo(info.Spec, nodeId) ? 'bound' : 'movable',
  );
  return { movable, bound };
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
  for (const service of movable) {
    const instance = serviceView(service);
    await whileHeld(instance, async () => {
      const started = await services.update(service, (spec) => ({
        ...spec,
        UpdateConfig: { Parallelism: 1, Order: 'start-first' },
        TaskTemplate: { ...spec.TaskTemplate, ForceUpdate: (spec.TaskTemplate.ForceUpdate ?? 0) + 1 },
      }));
      await untilBegun(services, started);
      await untilLeft(services, started, nodeId);
      if (instance.port > 0) await untilAnswers(instance);
    });
  }
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
