import { execFile, execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { exited, spawnRecorded } from './children.ts';

type Place = readonly [address: string, port: number];

/** A machine with two container networks and an external network, each in its own namespace. */
export interface Machine {
  /** The command prefix to run a program on the machine. */
  enter: string[];
  own: string;
  own6: string;
  far: { private: string; public: string; names: string };
  far6: { private: string; public: string };
  /** On the first network, beside the first container. */
  neighbour: string;
  ports: { own: number; edge: number };
  /** Tests which of these places a container can reach. */
  knock(from: 'first' | 'second', places: Record<string, Place>): Promise<Record<string, boolean>>;
  askName(from: 'first', server: string): Promise<boolean>;
  /** Opens a long-lived connection. */
  hold(from: 'first', place: Place): { isOpen: Promise<unknown>; answer(): Promise<boolean> };
  close(): Promise<void>;
}

const ports = { own: 5999, edge: 8080 };
const far = { private: '10.99.0.9', public: '198.51.100.9', names: '10.99.0.53' };
const far6 = { private: 'fd99::9', public: '2001:db8:9::9' };
const run = promisify(execFile);

const answering = (places: Place[]) =>
  `let left = ${places.length}; const { createServer } = require('node:net');
for (const [host, port] of ${JSON.stringify(places)}) createServer((s) => s.on('error', () => {}).on('data', () => s.write('yes'))).listen(port, host, () => --left || console.log('open'));`;

const naming = `require('node:dgram').createSocket('udp4').on('message', function (m, to) { this.send('yes', to.port, to.address); }).bind(53, '${far.names}');`;

export async function startMachine(): Promise<Machine> {
  const tag = `mfw${randomInt(100_000)}`;
  const names = { machine: `${tag}m`, first: `${tag}a`, second: `${tag}b`, neighbour: `${tag}n`, far: `${tag}f` };
  const ip = (...args: string[]) => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const on = (which: keyof typeof names) => (line: string) => ip('-netns', names[which], ...line.split(' '));
  const enter = (which: keyof typeof names) => ['nsenter', `--net=/run/netns/${names[which]}`, '--'];
  const children: ReturnType<typeof spawnRecorded>[] = [];
  const close = async () => {
    for (const child of children) {
      child.kill();
      await exited(child);
    }
    for (const name of Object.values(names)) ip('netns', 'del', name);
  };
  for (const name of Object.values(names)) ip('netns', 'add', name);
  try {
    for (const which of Object.keys(names)) on(which as 'far')('link set lo up');
    const machine = on('machine');
    /** A veth pair from the machine to another namespace. */
    const cable = (which: 'first' | 'second' | 'neighbour' | 'far', near: string) =>
      machine(`link add ${near} type veth peer name eth0 netns ${names[which]}`);
    for (const [bridge, net] of [
      ['docker0', 1],
      ['br-0123456789ab', 2],
    ] as const) {
      machine(`link add ${bridge} type bridge`);
      machine(`addr add 172.31.${net}.1/24 dev ${bridge}`);
      machine(`addr add fd31:${net}::1/64 dev ${bridge} nodad`);
      machine(`link set ${bridge} up`);
    }
    for (const [which, near, bridge, net, last] of [
      ['first', 'veth1', 'br-0123456789ab', 2, 2],
      ['neighbour', 'veth2', 'br-0123456789ab', 2, 3],
      ['second', 'veth3', 'docker0', 1, 2],
    ] as const) {
      cable(which, near);
      machine(`link set ${near} master ${bridge} up`);
      on(which)(`addr add 172.31.${net}.${last}/24 dev eth0`);
      on(which)(`addr add fd31:${net}::${last}/64 dev eth0 nodad`);
      on(which)('link set eth0 up');
      on(which)(`route add default via 172.31.${net}.1`);
      ip('-6', '-netns', names[which], 'route', 'add', 'default', 'via', `fd31:${net}::1`);
    }
    cable('far', 'eth0');
    machine('addr add 10.99.0.1/24 dev eth0');
    machine('addr add fd99::1/64 dev eth0 nodad');
    machine('link set eth0 up');
    machine(`route add default via ${far.private}`);
    machine('route add 169.254.169.254/32 via 10.99.0.9');
    ip('-6', '-netns', names.machine, 'route', 'add', 'default', 'via', far6.private);
    for (const address of [`${far.private}/24`, `${far.names}/24`, '169.254.169.254/32', `${far.public}/32`])
      on('far')(`addr add ${address} dev eth0`);
    for (const address of [`${far6.private}/64`, `${far6.public}/128`]) on('far')(`addr add ${address} dev eth0 nodad`);
    on('far')('link set eth0 up');
    on('far')('route add default via 10.99.0.1');
    ip('-6', '-netns', names.far, 'route', 'add', 'default', 'via', 'fd99::1');
    for (const key of ['net.ipv4.ip_forward', 'net.ipv6.conf.all.forwarding'])
      execFileSync('nsenter', [...enter('machine').slice(1), 'sysctl', '-qw', `${key}=1`]);
    const serve = async (which: keyof typeof names, program: string) => {
      const [file, ...args] = [...enter(which), process.execPath, '-e', program];
      const child = spawnRecorded(file!, args, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
      children.push(child);
      await once(child.stdout!, 'data');
    };
    const both = (port: number): Place[] => [['::', port]];
    const farPlaces: Place[] = ['169.254.169.254', far.private, far.public, far6.private, far6.public, far.names].map(
      (each) => [each, 80],
    );
    await serve('far', `${naming}${answering([...farPlaces, [far.names, 53]])}`);
    await serve('machine', answering([...both(ports.own), ...both(ports.edge)]));
    await serve('neighbour', answering(both(80)));
    const told = async (from: keyof typeof names, program: string) => {
      const [file, ...args] = [...enter(from), process.execPath, '-e', program];
      return (await run(file!, args, { env: {} })).stdout.trim();
    };
    const hold: Machine['hold'] = (from, place) => {
      const program = `const s = require('node:net').connect(${place[1]}, '${place[0]}', () => console.log('open'));
s.on('data', () => { console.log('yes'); process.exit(); }); process.stdin.on('data', () => s.write('still there?'));`;
      const [file, ...args] = [...enter(from), process.execPath, '-e', program];
      const child = spawnRecorded(file!, args, { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
      children.push(child);
      return {
        isOpen: once(child.stdout!, 'data'),
        async answer() {
          const heard = once(child.stdout!, 'data');
          child.stdin!.write('ask\n');
          const late = new Promise((resolve) => setTimeout(resolve, 3000));
          return (await Promise.race([heard, late])) !== undefined;
        },
      };
    };
    return {
      enter: enter('machine'),
      own: '10.99.0.1',
      own6: 'fd99::1',
      far,
      far6,
      neighbour: '172.31.2.3',
      ports,
      hold,
      close,
      async knock(from, places) {
        const answers = await told(
          from,
          `const places = ${JSON.stringify(places)};
const ask = ([host, port]) => new Promise((resolve) => { const s = require('node:net').connect({ host, port, timeout: 1500 }, () => s.write('?'));
s.on('data', () => resolve(true)).on('error', () => resolve(false)).on('timeout', () => resolve(false)); });
Promise.all(Object.entries(places).map(async ([name, place]) => [name, await ask(place)])).then((all) => { console.log(JSON.stringify(Object.fromEntries(all))); process.exit(); });`,
        );
        return JSON.parse(answers) as Record<string, boolean>;
      },
      askName: async (from, server) =>
        (await told(
          from,
          `const s = require('node:dgram').createSocket('udp4').on('message', () => { console.log('yes'); process.exit(); }).on('error', () => process.exit());
s.connect(53, '${server}', () => s.send('?')); setTimeout(() => process.exit(), 1500);`,
        )) === 'yes',
    };
  } catch (error) {
    await close();
    throw error;
  }
}
