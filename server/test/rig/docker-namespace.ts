import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

// Engines in one network namespace share the firewall chains, and a starting engine recreates them: the rules of the
// others are gone for a moment. So each test engine has its own namespace, connected by a veth pair, with its own
// bridges, rules and proxies.

/** Names and addresses unique to one engine. */
export interface EngineNamespace {
  /** Of the namespace, of the near end of the veth pair, and of the control group. */
  name: string;
  /** The near end: where containers reach this machine. */
  gateway: string;
  /** The far end: where this machine reaches published ports. */
  address: string;
  /** The subnet of the engine's default bridge, and the pool for other networks. */
  bridge: string;
  networks: string;
  mtu: number;
}

const slots = 1024;

/** Creates a network from a part of 10.192.0.0/10. Calls `note` before anything is created, so that it can be
 * removed in any case. */
export function makeNamespace(note: (made: EngineNamespace) => void): EngineNamespace {
  for (;;) {
    const slot = randomInt(slots);
    const at = (third: number) => `10.${192 + (slot >> 4)}.${((slot & 15) << 4) + third}`;
    const name = `mooring${slot}`;
    if (existsSync(`/run/netns/${name}`) || existsSync(`/sys/class/net/${name}`)) continue;
    const made: EngineNamespace = {
      name,
      gateway: `${at(0)}.1`,
      address: `${at(0)}.2`,
      bridge: `${at(1)}.1/24`,
      networks: `${at(8)}.0/21`,
      mtu: mtu(),
    };
    note(made);
    run('ip', 'netns', 'add', name);
    const inside = (...args: string[]) => run('ip', '-netns', name, ...args);
    run('ip', 'link', 'add', name, 'mtu', String(made.mtu), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    run('ip', 'addr', 'add', `${made.gateway}/24`, 'dev', name);
    run('ip', 'link', 'set', name, 'up');
    inside('addr', 'add', `${made.address}/24`, 'dev', 'eth0');
    inside('link', 'set', 'eth0', 'up');
    inside('link', 'set', 'lo', 'up');
    inside('route', 'add', 'default', 'via', made.gateway);
    return made;
  }
}

/** The command prefix to run a program in that network. */
export const entering = ({ name }: EngineNamespace): string[] => ['nsenter', `--net=/run/netns/${name}`, '--'];

/** Removes it with everything in it; no process may be left there. */
export function removeNamespace({ name }: EngineNamespace): void {
  if (existsSync(`/sys/class/net/${name}`)) run('ip', 'link', 'del', name);
  if (existsSync(`/run/netns/${name}`)) run('ip', 'netns', 'del', name);
}

const run = (file: string, ...args: string[]): void =>
  void execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** The MTU of the default route: containers cannot send larger packets than the machine. */
function mtu(): number {
  const way = readFileSync('/proc/net/route', 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, destination]) => destination === '00000000');
  return way ? Number(readFileSync(`/sys/class/net/${way[0]}/mtu`, 'utf8')) : 1500;
}
