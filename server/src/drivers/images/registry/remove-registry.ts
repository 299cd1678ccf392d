import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from '../../runtime/docker/engine/client.ts';
import { EngineError, ifThere } from '../../runtime/docker/engine/errors.ts';
import { registryLabels, registryServiceName } from './registry-spec.ts';
import { findService, removeService } from './swarm-objects.ts';

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

/** Removes the service of our registry, which the next deployment creates again. Its volume stays. */
export async function stopRegistry(engine: EngineClient, instanceId: string): Promise<void> {
  const name = registryServiceName(instanceId);
  for (const each of [name, `${name}-collect`]) {
    const found = await findService(engine, each);
    if (found) await removeService(engine, found);
  }
}

/** Its tasks and the attached edges take a moment to end. */
async function remove(engine: EngineClient, path: string): Promise<void> {
  for (const giveUp = Date.now() + removeMs; ; await sleep(500))
    try {
      return void (await ifThere(engine.json({ method: 'DELETE', path })));
    } catch (error) {
      if (!(error instanceof EngineError) || Date.now() > giveUp) throw error;
    }
}
