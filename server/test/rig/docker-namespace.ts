import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';

// Engines that share a network share the chains of its firewall, and each one that starts makes them anew: for a moment
// the rules of the others are gone. So each engine of the tests has a network of its own, which a cable leads to. What it
// does there (bridges, rules, proxies) is nobody else's, and goes with it.

/** Names and addresses that no other engine has. */
export interface EngineNamespace {
  /** Of the namespace, of the near end of the cable, and of the group of its processes. */
  name: string;
  /** The near end: where containers reach this machine. */
  gateway: string;
  /** The far end: where this machine reaches published ports. */
  address: string;
  /** Of the engine's own bridge, and where further networks get theirs from. */
  bridge: string;
  networks: string;
  mtu: number;
}

const slots = 1024;

/** Makes a network with a part of 10.192.0.0/10. `note` is called before anything is made, so that it can be removed
 * whatever happens. */
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

/** What a program and its arguments follow, to run in that network. */
export const entering = ({ name }: EngineNamespace): string[] => ['nsenter', `--net=/run/netns/${name}`, '--'];

/** With all that is in it; nobody may run there any more. */
export function removeNamespace({ name }: EngineNamespace): void {
  if (existsSync(`/sys/class/net/${name}`)) run('ip', 'link', 'del', name);
  if (existsSync(`/run/netns/${name}`)) run('ip', 'netns', 'del', name);
}

const run = (file: string, ...args: string[]): void =>
  void execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** That of the way out: containers get no larger packets through than the machine does. */
function mtu(): number {
  const way = readFileSync('/proc/net/route', 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, destination]) => destination === '00000000');
  return way ? Number(readFileSync(`/sys/class/net/${way[0]}/mtu`, 'utf8')) : 1500;
}
