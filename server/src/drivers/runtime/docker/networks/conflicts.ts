import { ipv4Range, rangesOverlap } from '../../../../lib/addresses.ts';
import { SubnetTakenError } from '../../errors.ts';
import type { ServiceSubnet, SubnetConflict } from '../../runtime.ts';
import type { ReadProc } from '../container-sockets.ts';
import type { EngineClient } from '../engine/client.ts';
import { undefinedIfGone } from '../engine/errors.ts';
import type { NetworkInfo } from '../engine/types.ts';
import { instanceLabel } from '../labels.ts';
import { allNetworks, isSubnetOverlap, removeNetwork } from './create.ts';
import type { WantedNetwork } from './plan.ts';
import { hasAddressesOf, ipamOf, rangesOf, routesIn, type RoutedRange } from './subnets.ts';

type WithSubnet = WantedNetwork & { subnet: ServiceSubnet };

/**
 * Creates a network with its subnet. An earlier network of the stack that has its addresses makes room if no running
 * container is on it. Returns false if the addresses are taken and no service needs them.
 */
export async function createWithSubnet(
  engine: EngineClient,
  body: object,
  { name, subnet }: WithSubnet,
  known: readonly NetworkInfo[],
): Promise<boolean> {
  const make = () => engine.json({ method: 'POST', path: '/networks/create', body: { ...body, ...ipamOf(subnet) } });
  const inTheWay = known.filter((network) => hasAddressesOf(network, [subnet.subnet]));
  for (const network of inTheWay) await removeNetwork(engine, network);
  try {
    await make();
    return true;
  } catch (error) {
    if (!isSubnetOverlap(error)) throw error;
    if (subnet.fixed.length) throw new SubnetTakenError(name, subnet.subnet, error);
    return false;
  }
}

type Checked = {
  missing: readonly WantedNetwork[];
  /** Networks of the stack. */
  known: readonly NetworkInfo[];
  instanceId: string;
  readProc: ReadProc | undefined;
};

/** Compares wanted subnets with each other, with the engine's networks and with the routes of its machine. */
export async function subnetConflicts(engine: EngineClient, checked: Checked): Promise<SubnetConflict[]> {
  const { missing, known, instanceId, readProc } = checked;
  if (!missing.length) return [];
  const all = await allNetworks(engine);
  const routes = readProc ? routesIn(await readProc(['/proc/net/route'])) : [];
  const foreign = routes.filter((route) => !all.some((network) => rangesOf(network).some(isSameAs(route))));
  const found: SubnetConflict[] = [];
  for (const [i, { name, subnet }] of missing.entries()) {
    if (!subnet) continue;
    const twin = missing.slice(0, i).find((each) => each.subnet && hasCommon(each.subnet.subnet, subnet.subnet));
    const own = twin ? undefined : await firstInUse(engine, known, subnet.subnet);
    const holder = twin
      ? `the network ${twin.name} of this stack`
      : own
        ? 'the running services of this stack'
        : otherHolder(all, known, foreign, subnet.subnet, instanceId);
    if (holder !== undefined)
      found.push({
        network: name,
        subnet: subnet.subnet,
        holder,
        isOwn: own !== undefined,
        isOptional: !subnet.fixed.length,
      });
  }
  return found;
}

function otherHolder(
  all: readonly NetworkInfo[],
  known: readonly NetworkInfo[],
  routes: readonly RoutedRange[],
  subnet: string,
  instanceId: string,
): string | undefined {
  const other = all.find((each) => hasAddressesOf(each, [subnet]) && !known.some(({ Id }) => Id === each.Id));
  // Projects of other organizations are not named.
  if (other)
    return other.Labels?.[instanceLabel] === instanceId
      ? 'another project or environment of this Mooring'
      : `the Docker network ${other.Name}`;
  const range = ipv4Range(subnet)!;
  // A wider route, such as that of a VPN, still leads to its other addresses.
  const route = routes.find((each) => each.from >= range.from && each.to <= range.to);
  return route && `the interface ${route.interface} of the machine`;
}

/** Returns the first network with such addresses that a running container is on. */
async function firstInUse(
  engine: EngineClient,
  known: readonly NetworkInfo[],
  subnet: string,
): Promise<NetworkInfo | undefined> {
  for (const network of known.filter((each) => hasAddressesOf(each, [subnet]))) {
    const path = `/networks/${network.Id}`;
    const details = await undefinedIfGone(engine.json<{ Containers: object | null }>({ method: 'GET', path }));
    if (details && Object.keys(details.Containers ?? {}).length) return network;
  }
  return undefined;
}

const hasCommon = (a: string, b: string): boolean => rangesOverlap(ipv4Range(a)!, ipv4Range(b)!);

const isSameAs =
  (route: RoutedRange) =>
  ({ from, to }: { from: number; to: number }): boolean =>
    route.from === from && route.to === to;
