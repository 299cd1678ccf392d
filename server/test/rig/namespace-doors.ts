import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { type EngineNamespace, entering } from './docker-namespace.ts';

// Containers can reach the veth pair between an engine's network and ours. These proxies are for the test only:
// loopback listeners stay unreachable for everything else.

export interface Door {
  close(): Promise<void>;
}

/** Forwards a port of our loopback to the same port of the namespace's loopback. */
export async function doorInto(namespace: EngineNamespace, port: number): Promise<Door> {
  const socket = join(newFolder('door'), 'socket');
  const program = `const net = require('node:net');
net.createServer((from) => {
  const to = net.connect(${port}, '127.0.0.1');
  from.pipe(to).pipe(from);
  for (const each of [from, to]) each.on('error', () => { from.destroy(); to.destroy(); });
}).listen(${JSON.stringify(socket)}, () => console.log('open'));`;
  const [enter, ...args] = [...entering(namespace), process.execPath, '-e', program];
  const child = spawnRecorded(enter!, args, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
  await once(child.stdout!, 'data');
  const server = await passing({ port, host: '127.0.0.1' }, () => connect(socket));
  return {
    async close() {
      server.close();
      child.kill();
      await exited(child);
    },
  };
}

/** Forwards a port of our end of the veth pair to our loopback; returns its address. */
export async function doorOut({ gateway }: EngineNamespace, port: number): Promise<Door & { port: number }> {
  const server = await passing({ port: 0, host: gateway }, () => connect(port, '127.0.0.1'));
  const address = server.address() as { port: number };
  return { port: address.port, close: async () => void server.close() };
}

async function passing(at: { port: number; host: string }, open: () => ReturnType<typeof connect>): Promise<Server> {
  const server = createServer((from) => {
    const to = open();
    from.pipe(to).pipe(from);
    const end = () => [from, to].map((each) => each.destroy());
    from.on('error', end);
    to.on('error', end);
  });
  server.listen(at.port, at.host);
  await once(server, 'listening');
  return server;
}

/** A server inside the namespace. */
export const answerInside = (namespace: EngineNamespace, host: string, port: number, words: string): Promise<Door> =>
  answering(entering(namespace), host, port, words);

function answering(enter: string[], host: string, port: number, words: string): Promise<Door> {
  const at = `${port}, ${JSON.stringify(host)}`;
  return spoken(
    enter,
    `require('node:http').createServer((_, s) => s.end(${JSON.stringify(words)})).listen(${at}, () => console.log('open'));`,
  );
}

/** Starts a program and waits until it reports that it is ready. */
async function spoken(enter: string[], program: string): Promise<Door> {
  const [file, ...args] = [...enter, process.execPath, '-e', program];
  const child = spawnRecorded(file!, args, { stdio: ['ignore', 'pipe', 'inherit'], env: {} });
  await once(child.stdout!, 'data');
  return {
    async close() {
      child.kill();
      await exited(child);
    },
  };
}

/** A machine beyond the engine's: another network at the end of another veth pair. */
export interface Beyond extends Door {
  /** Adds an address with a server that responds with this text. */
  answer(address: string, words: string): Promise<void>;
  /** Resolves every name to this address. */
  name(address: string, answer: string): Promise<void>;
}

/** A cloud's metadata service. */
export async function startMetadata(namespace: EngineNamespace): Promise<Beyond> {
  const beyond = makeBeyond(namespace);
  try {
    await beyond.answer('169.254.169.254', 'credentials');
    return beyond;
  } catch (error) {
    await beyond.close();
    throw error;
  }
}

export function makeBeyond({ name }: EngineNamespace): Beyond {
  const beyond = `${name}m`;
  const enter = ['nsenter', `--net=/run/netns/${beyond}`, '--'];
  const ip = (...args: string[]) => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const doors: Door[] = [];
  ip('netns', 'add', beyond);
  ip('-netns', name, 'link', 'add', 'meta0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', beyond);
  ip('-netns', name, 'addr', 'add', '192.0.2.1/30', 'dev', 'meta0');
  ip('-netns', beyond, 'addr', 'add', '192.0.2.2/30', 'dev', 'eth0');
  for (const link of ['lo', 'eth0']) ip('-netns', beyond, 'link', 'set', link, 'up');
  ip('-netns', name, 'link', 'set', 'meta0', 'up');
  const lead = (address: string) => {
    ip('-netns', beyond, 'addr', 'replace', `${address}/32`, 'dev', 'lo');
    ip('-netns', name, 'route', 'replace', `${address}/32`, 'via', '192.0.2.2');
  };
  return {
    async answer(address, words) {
      lead(address);
      doors.push(await answering(enter, address, 80, words));
    },
    async name(address, answer) {
      lead(address);
      doors.push(await spoken(enter, naming(address, answer)));
    },
    async close() {
      for (const door of doors) await door.close();
      ip('netns', 'del', beyond);
    },
  };
}

/** Repeats the question, with one address for an address query. */
const naming = (address: string, answer: string) => `const socket = require('node:dgram').createSocket('udp4');
socket.on('message', (query, to) => {
  let end = 12;
  while (query[end]) end += 1 + query[end];
  const isAddress = query.readUInt16BE(end + 1) === 1;
  const head = Buffer.from(query.subarray(0, end + 5));
  head.writeUInt16BE(0x8180, 2);
  head.fill(0, 6, 12);
  head.writeUInt16BE(isAddress ? 1 : 0, 6);
  const found = isAddress ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ${answer.split('.').join(', ')}] : [];
  socket.send(Buffer.concat([head, Buffer.from(found)]), to.port, to.address);
}).bind(53, ${JSON.stringify(address)}, () => console.log('open'));`;
