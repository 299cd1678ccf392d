import { ImageStore } from '../../images/image-store.ts';
import type { EngineClient } from './engine/client.ts';
import { goneOrGoing, undefinedIfGone } from './engine/errors.ts';
import { removeIdle } from './idle-container.ts';
import { copyLabel, instanceFilter } from './labels.ts';
import { listNetworks, removeNetwork } from './networks/create.ts';
import { OwnContainers } from './own-containers.ts';
import { emptyImage } from './volumes.ts';

/** Numbers of removed objects. */
export interface RemovedObjects {
  containers: number;
  networks: number;
  images: number;
  volumes: number;
}

/** Removes everything that an instance has made in an engine. Volumes only with `withVolumes`: they are data. */
export async function removeInstance(
  engine: EngineClient,
  instanceId: string,
  { withVolumes }: { withVolumes: boolean },
): Promise<RemovedObjects> {
  const containers = new OwnContainers(engine, instanceId);
  const own = await containers.list();
  for (const container of own) {
    await containers.stop(container, 10_000);
    await containers.remove(container);
  }
  const query = { all: true, filters: { label: [`${copyLabel}=${instanceId}`] } };
  for (const { Id } of await engine.json<{ Id: string }[]>({ method: 'GET', path: '/containers/json', query }))
    await removeIdle(engine, Id);
  const networks = await listNetworks(engine, instanceId, {});
  for (const network of networks) await removeNetwork(engine, network);
  const volumes = withVolumes ? await removeVolumes(engine, instanceId) : 0;
  return { containers: own.length, networks: networks.length, images: await removeImages(engine, instanceId), volumes };
}

async function removeVolumes(engine: EngineClient, instanceId: string): Promise<number> {
  const query = { filters: instanceFilter(instanceId) };
  const { Volumes } = await engine.json<{ Volumes: { Name: string }[] | null }>({
    method: 'GET',
    path: '/volumes',
    query,
  });
  for (const { Name } of Volumes ?? [])
    // A volume in a container of the user's own stays.
    await undefinedIfGone(engine.json({ method: 'DELETE', path: `/volumes/${encodeURIComponent(Name)}` }), goneOrGoing);
  return Volumes?.length ?? 0;
}

/** An image that somebody else uses stays. */
async function removeImages(engine: EngineClient, instanceId: string): Promise<number> {
  const store = new ImageStore(engine, instanceId);
  let removed = 0;
  for (const { image } of await store.list()) if ((await store.remove(image)) === 'removed') removed++;
  for (const id of await store.nameless()) if ((await store.removeNameless(id)) === 'removed') removed++;
  await undefinedIfGone(engine.json({ method: 'DELETE', path: `/images/${emptyImage}` }), goneOrGoing);
  return removed;
}
