import { setTimeout as sleep } from 'node:timers/promises';
import { hasTaskEnded, type ServiceInfo, type TaskInfo } from '../../swarm/types.ts';
import { updateService } from '../../swarm/update-service.ts';
import type { EngineClient } from '../engine/client.ts';
import { EngineError, undefinedIfGone } from '../engine/errors.ts';
import { neverRestart, engineMarginMs, usualGraceSeconds } from './defaults.ts';
import type { OriginalNetworks } from './networks.ts';
import type { OriginalContainers } from './originals.ts';

const everyMs = 100;

/** Services of a Swarm that are not ours. Swarm replaces a container that we stop, so they are scaled to 0 instead. */
export function originalServices(engine: EngineClient): Omit<OriginalContainers, keyof OriginalNetworks> {
  const at = (id: string) => `/services/${encodeURIComponent(id)}`;
  const inspect = (id: string) => undefinedIfGone(engine.json<ServiceInfo>({ method: 'GET', path: at(id) }));
  const tasksOf = (id: string) =>
    engine.json<TaskInfo[]>({ method: 'GET', path: '/tasks', query: { filters: { service: [id] } } });
  const scale = (info: ServiceInfo, Replicas: number) =>
    updateService(engine, info, (spec) => ({ ...spec, Mode: { Replicated: { Replicas } } }));

  return {
    async look(id) {
      const found = await inspect(id);
      if (!found) return undefined;
      const replicas = replicasOf(found);
      if (!replicas) return { ...common, state: 'stopped', replicas };
      const running = (await tasksOf(id)).filter(({ Status, DesiredState }) =>
        [Status.State, DesiredState].every((state) => state === 'running'),
      );
      // Swarm calls a task running once its health check has passed.
      return { ...common, state: 'running', replicas, health: running.length < replicas ? 'starting' : 'healthy' };
    },

    async holdBack(id) {
      const found = await inspect(id);
      if (!found) return;
      if (replicasOf(found)) await scale(found, 0);
      const { StopGracePeriod = usualGraceSeconds * 1e9 } = found.Spec.TaskTemplate.ContainerSpec as Grace;
      for (const giveUp = Date.now() + StopGracePeriod / 1e6 + engineMarginMs; ; await sleep(everyMs)) {
        const left = (await tasksOf(id)).filter((task) => !hasTaskEnded(task));
        if (!left.length) return;
        if (Date.now() > giveUp)
          throw new EngineError(504, `the Swarm did not stop ${found.Spec.Name}: a task is ${left[0]!.Status.State}`);
      }
    },

    async bringBack(id, was) {
      const found = await inspect(id);
      if (!found) return false;
      if (was.state !== 'stopped' && !replicasOf(found)) await scale(found, was.replicas ?? 1);
      return true;
    },

    writtenFiles: async () => [],

    async remove(id) {
      await undefinedIfGone(engine.json({ method: 'DELETE', path: at(id) }));
    },
  };
}

type Grace = { StopGracePeriod?: number };

const common = { restartPolicy: neverRestart, isRemovedAtItsEnd: false };

const replicasOf = ({ Spec: { Mode } }: ServiceInfo): number => Mode.Replicated.Replicas;
