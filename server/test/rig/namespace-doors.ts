import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { type EngineNamespace, entering } from './docker-namespace.ts';

// Between the network of an engine and ours there is a cable that containers reach too. These doors are for the test alone: what
// listens on a loopback address stays there for everybody else.

export interface Door {
  close(): Promise<void>;
}

/** A port of our loopback leads to the same one of the namespace's own loopback. */
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

/** A port of our end of the cable leads to one of our loopback: gives where it is. */
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

/** Something that answers inside of the namespace. */
export const answerInside = (namespace: EngineNamespace, host: string, port: number, words: string): Promise<Door> =>
  answering(entering(namespace), host, port, words);

async function answering(enter: string[], host: string, port: number, words: string): Promise<Door> {
  const at = `${port}, ${JSON.stringify(host)}`;
  const program = `require('node:http').createServer((_, s) => s.end(${JSON.stringify(words)})).listen(${at}, () => console.log('open'));`;
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

/** What clouds keep at this address, on another machine than the engine's: one more network, at the end of another cable. */
export async function startMetadata({ name }: EngineNamespace): Promise<Door> {
  const beyond = `${name}m`;
  const address = '169.254.169.254';
  const ip = (...args: string[]) => void execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  ip('netns', 'add', beyond);
  const close = () => ip('netns', 'del', beyond);
  try {
    ip('-netns', name, 'link', 'add', 'meta0', 'type', 'veth', 'peer', 'name', 'eth0', 'netns', beyond);
    ip('-netns', name, 'addr', 'add', '192.0.2.1/30', 'dev', 'meta0');
    ip('-netns', beyond, 'addr', 'add', '192.0.2.2/30', 'dev', 'eth0');
    ip('-netns', beyond, 'link', 'set', 'lo', 'up');
    ip('-netns', beyond, 'addr', 'add', `${address}/32`, 'dev', 'lo');
    ip('-netns', beyond, 'link', 'set', 'eth0', 'up');
    ip('-netns', name, 'link', 'set', 'meta0', 'up');
    ip('-netns', name, 'route', 'add', `${address}/32`, 'via', '192.0.2.2');
    const door = await answering(['nsenter', `--net=/run/netns/${beyond}`, '--'], address, 80, 'credentials');
    return { close: () => door.close().then(close) };
  } catch (error) {
    close();
    throw error;
  }
}
