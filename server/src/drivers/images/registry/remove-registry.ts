import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError, undefinedIfGone } from '../../runtime/docker/engine/errors.ts';
import type { NodeInfo } from '../../runtime/swarm/types.ts';
import { registryLabels, registryServiceName } from './registry-spec.ts';
import { findSwarmService, removeSwarmService } from './swarm-objects.ts';

/** In the order in which they are removed: Swarm keeps what a service uses. */
const kinds = ['services', 'networks', 'configs', 'secrets', 'volumes'] as const;
const removeMs = 20_000;

type Found = { Id?: string; ID?: string; Name?: string };

/** Removes our registry from a Swarm with everything that belongs to it, and its images from the volume of this
 * engine. */
export async function removeRegistry(engine: EngineClient, instanceId: string): Promise<void> {
  const label = Object.entries(registryLabels(instanceId)).map(([name, value]) => `${name}=${value}`);
  for (const kind of kinds) {
    const call = { method: 'GET', path: `/${kind}`, query: { filters: { label } } } as const;
    const found = await engine.json<Found[] | { Volumes: Found[] | null }>(call);
    for (const { Id, ID, Name } of Array.isArray(found) ? found : (found.Volumes ?? []))
      await remove(engine, `/${kind}/${Id ?? ID ?? Name}`);
  }
}

/** Removes the service of our registry if its node is not ready: it would wait for the node for ever. The next
 * deployment creates it again. Its volume stays. */
export async function stopLostRegistry(
  engine: EngineClient,
  instanceId: string,
  nodes: readonly NodeInfo[],
): Promise<void> {
  const name = registryServiceName(instanceId);
  const registry = await findSwarmService(engine, name);
  const constraints = registry?.Spec.TaskTemplate.Placement?.Constraints ?? [];
  const isItsNode = ({ ID, Status }: NodeInfo) => constraints.includes(`node.id==${ID}`) && Status.State === 'ready';
  if (!registry || nodes.some(isItsNode)) return;
  const collector = await findSwarmService(engine, `${name}-collect`);
  for (const service of [registry, collector]) if (service) await removeSwarmService(engine, service);
}

/** Its tasks and the attached edges take a moment to end. */
async function remove(engine: EngineClient, path: string): Promise<void> {
  for (const giveUp = Date.now() + removeMs; ; await sleep(500))
    try {
      return void (await undefinedIfGone(engine.json({ method: 'DELETE', path })));
    } catch (error) {
      if (!(error instanceof EngineError) || Date.now() > giveUp) throw error;
    }
}
