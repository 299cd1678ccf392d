import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What an engine has to have to itself in the network of this machine. */
export interface EngineAddresses {
  /** Which sixteenth of which 10.x.0.0/16. */
  slot: number;
  bridge: string;
  /** Of the bridge. */
  gateway: string;
  /** Where the networks that are made in it get their addresses from. */
  networks: string;
  /** Its containers' processes are below this, so that they are found without the engine. */
  cgroup: string;
  mtu: number;
}

const slots = 1024;

/** Takes a part of 10.192.0.0/10 that no other engine of a run has: who makes the bridge has it. `note` is called
 * before anything is made, so that it can be removed whatever happens. */
export function claimAddresses(note: (addresses: EngineAddresses) => void): EngineAddresses {
  for (let tries = 0; ; tries++) {
    const slot = randomInt(slots);
    const at = (third: number) => `10.${192 + (slot >> 4)}.${((slot & 15) << 4) + third}`;
    const bridge = `mooring${slot}`;
    const addresses = { slot, bridge, gateway: `${at(0)}.1/24`, networks: `${at(8)}.0/21`, cgroup: bridge, mtu: mtu() };
    if (linkExists(bridge)) continue;
    note(addresses);
    try {
      ip('link', 'add', bridge, 'type', 'bridge');
    } catch (error) {
      if (tries === 20) throw error;
      continue;
    }
    ip('addr', 'add', addresses.gateway, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    return addresses;
  }
}

/** Whether this is an address (or a range of them) of the engine. */
export function isAddressOf({ slot }: EngineAddresses, address: string): boolean {
  const [first, second, third] = address.split('.').map(Number);
  return first === 10 && second === 192 + (slot >> 4) && third! >> 4 === (slot & 15);
}

/** The links that have an address of this engine. */
export function linksOf(addresses: EngineAddresses): string[] {
  type Link = { ifname: string; addr_info: { local?: string }[] };
  const isOf = ({ ifname, addr_info }: Link) =>
    ifname === addresses.bridge || addr_info.some(({ local = '' }) => isAddressOf(addresses, local));
  return (JSON.parse(ip('-json', 'addr')) as Link[]).filter(isOf).map(({ ifname }) => ifname);
}

export const removeLink = (name: string): void => void ip('link', 'del', name);

const ip = (...args: string[]): string =>
  execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const linkExists = (name: string): boolean => readFileSync('/proc/net/dev', 'utf8').includes(`${name}:`);

/** That of the way out: containers get no larger packets through than the machine does. */
function mtu(): number {
  const way = readFileSync('/proc/net/route', 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, destination]) => destination === '00000000');
  return way ? Number(readFileSync(`/sys/class/net/${way[0]}/mtu`, 'utf8')) : 1500;
}
