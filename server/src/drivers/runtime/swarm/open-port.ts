import { Duplex, Readable } from 'node:stream';
import type { EngineClient } from '../docker/engine/client.ts';
import { stdout, streamFrames } from '../docker/logs/frames.ts';

/** A container that has joined the networks of services, and the path of Node in it. */
export interface GatewayContainer {
  engine: EngineClient;
  container: string;
  node: string;
}

/** Connects its standard streams to a port, and says so with one byte. */
const program = `
const [host, port] = process.argv.slice(1);
const socket = require('node:net').connect({ host, port, timeout: 2000 });
socket.once('connect', () => { socket.setTimeout(0); process.stdout.write('+'); process.stdin.pipe(socket).pipe(process.stdout); });
socket.once('timeout', () => socket.destroy(new Error('no answer')));
socket.once('error', (error) => { process.stderr.write(error.message); process.exitCode = 1; process.stdin.destroy(); });`;

/** Opens a port of a service from inside its network, which this machine is not part of. */
export async function openPortThrough(
  { engine, container, node }: GatewayContainer,
  { host, port }: { host: string; port: number },
  signal: AbortSignal,
): Promise<Duplex> {
  const body = {
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Cmd: [node, '-e', program, host, String(port)],
  };
  const { Id } = await engine.json<{ Id: string }>({
    method: 'POST',
    path: `/containers/${container}/exec`,
    body,
    signal,
  });
  const start = { method: 'POST', path: `/exec/${Id}/start`, body: { Detach: false, Tty: false } } as const;
  const socket = await engine.upgrade({ ...start, headers: { upgrade: 'tcp' }, signal });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const frames = streamFrames(socket);
  const { value: first, done } = await frames.next();
  if (done || first.kind !== stdout) {
    socket.destroy();
    throw new Error(done ? `${host}:${port} did not answer` : first.payload.toString());
  }
  const output = async function* () {
    if (first.payload.length > 1) yield first.payload.subarray(1);
    for await (const { kind, payload } of frames) if (kind === stdout) yield payload;
  };
  const stream = Duplex.from({ readable: Readable.from(output(), { objectMode: false }), writable: socket });
  return stream.once('close', stop);
}
