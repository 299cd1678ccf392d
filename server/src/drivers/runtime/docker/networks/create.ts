import type { EngineClient } from '../engine/client.ts';
import { EngineError, ifThere } from '../engine/errors.ts';
import type { NetworkInfo } from '../engine/types.ts';
import { oursFilter, type Narrow } from '../labels.ts';
import { freeSubnets } from './addresses.ts';

const inUse = 403;

/** Creates a network. Engines come with addresses for about thirty; beyond that we pick a free subnet ourselves. */
export async function createNetwork(engine: EngineClient, body: object): Promise<void> {
  const make = (more: object = {}) =>
    engine.json<void>({ method: 'POST', path: '/networks/create', body: { ...body, ...more } });
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof EngineError && /address pool|predefined address/i.test(error.message))) throw error;
  }
  const all = await engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks' });
  const taken = all.flatMap(({ IPAM }) => IPAM.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []);
  let last: unknown = new Error('Docker has no addresses left for another network');
  for (const subnet of freeSubnets(taken))
    try {
      return await make({ IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } });
    } catch (error) {
      if (!(error instanceof EngineError && /overlap/i.test(error.message))) throw error;
      last = error;
    }
  throw last;
}

export async function removeNetwork(engine: EngineClient, { Id }: NetworkInfo): Promise<void> {
  try {
    await ifThere(engine.json({ method: 'DELETE', path: `/networks/${Id}` }));
  } catch (error) {
    // A user has connected a container of their own: keep the network.
    if (!(error instanceof EngineError && error.status === inUse)) throw error;
  }
}

/** Lists our networks, oldest first. */
export async function listNetworks(engine: EngineClient, instanceId: string, narrow: Narrow): Promise<NetworkInfo[]> {
  const filters = oursFilter(instanceId, narrow);
  const found = await engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks', query: { filters } });
  return found.toSorted((a, b) => (a.Created < b.Created ? -1 : 1));
}
