import type { EngineClient } from '../engine/client.ts';
import { EngineError, undefinedIfGone } from '../engine/errors.ts';
import type { NetworkInfo } from '../engine/types.ts';
import { instanceFilter, type LabelFilter } from '../labels.ts';
import { freeSubnets } from './addresses.ts';
import { hasAddressesOf } from './subnets.ts';

const inUse = 403;

/** The engine has another network with some of its addresses. */
export const isSubnetOverlap = (error: unknown): boolean =>
  error instanceof EngineError && /overlap/i.test(error.message);

/**
 * Creates a network. Engines come with addresses for about thirty; beyond that we pick a free subnet ourselves, and
 * also if the engine picks one that other networks of the stack are going to have.
 */
export async function createNetwork(
  engine: EngineClient,
  body: object,
  reserved: readonly string[] = [],
): Promise<void> {
  const make = (more: object = {}) =>
    engine.json<{ Id: string }>({ method: 'POST', path: '/networks/create', body: { ...body, ...more } });
  try {
    const { Id } = await make();
    if (!reserved.length) return;
    const made = await engine.json<NetworkInfo>({ method: 'GET', path: `/networks/${Id}` });
    if (!hasAddressesOf(made, reserved)) return;
    await removeNetwork(engine, made);
  } catch (error) {
    if (!(error instanceof EngineError && /address pool|predefined address/i.test(error.message))) throw error;
  }
  const all = await allNetworks(engine);
  const taken = all.flatMap(({ IPAM }) => IPAM.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []).concat(reserved);
  let last: unknown = new Error('Docker has no addresses left for another network');
  for (const subnet of freeSubnets(taken))
    try {
      await make({ IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } });
      return;
    } catch (error) {
      if (!isSubnetOverlap(error)) throw error;
      last = error;
    }
  throw last;
}

export const allNetworks = (engine: EngineClient): Promise<NetworkInfo[]> =>
  engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks' });

export async function removeNetwork(engine: EngineClient, { Id }: NetworkInfo): Promise<void> {
  try {
    await undefinedIfGone(engine.json({ method: 'DELETE', path: `/networks/${Id}` }));
  } catch (error) {
    // A user has connected a container of their own: keep the network.
    if (!(error instanceof EngineError && error.status === inUse)) throw error;
  }
}

/** Lists our networks, oldest first. */
export async function listNetworks(
  engine: EngineClient,
  instanceId: string,
  narrow: LabelFilter,
): Promise<NetworkInfo[]> {
  const filters = instanceFilter(instanceId, narrow);
  const found = await engine.json<NetworkInfo[]>({ method: 'GET', path: '/networks', query: { filters } });
  return found.toSorted((a, b) => (a.Created < b.Created ? -1 : 1));
}
