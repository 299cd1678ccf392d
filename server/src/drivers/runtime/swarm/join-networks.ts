import type { EngineClient } from '../docker/engine/client.ts';
import { EngineError, goneOrGoing, undefinedIfGone } from '../docker/engine/errors.ts';

type Container = { NetworkSettings: { Networks: Record<string, { NetworkID: string }> | null } };

/** Connects a container to networks that it is not connected to yet. A container that does not exist joins them when
 * it is created. One network that it cannot join does not keep it from the others. */
export async function joinNetworks(engine: EngineClient, container: string, ids: readonly string[]): Promise<void> {
  const joined = await networksOf(engine, container);
  const failures: unknown[] = [];
  for (const id of joined ? ids.filter((each) => !joined.has(each)) : [])
    try {
      await engine.json({ method: 'POST', path: `/networks/${id}/connect`, body: { Container: container } });
    } catch (error) {
      const isFine = error instanceof EngineError && /already (exists|attached)|no such container/i.test(error.message);
      if (!isFine) failures.push(error);
    }
  if (failures.length) throw failures[0];
}

/** Disconnects a container from those of the networks that it is connected to. */
export async function leaveNetworks(engine: EngineClient, container: string, ids: readonly string[]): Promise<void> {
  const joined = await networksOf(engine, container);
  for (const id of ids.filter((each) => joined?.has(each))) {
    const body = { Container: container, Force: true };
    await undefinedIfGone(engine.json({ method: 'POST', path: `/networks/${id}/disconnect`, body }), goneOrGoing);
  }
}

/** Returns undefined if there is no such container. */
async function networksOf(engine: EngineClient, container: string): Promise<Set<string> | undefined> {
  const found = await undefinedIfGone(engine.json<Container>({ method: 'GET', path: `/containers/${container}/json` }));
  return found && new Set(Object.values(found.NetworkSettings.Networks ?? {}).map(({ NetworkID }) => NetworkID));
}
