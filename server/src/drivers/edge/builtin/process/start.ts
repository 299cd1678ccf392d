import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import type { Server } from 'node:net';
import { explainListening } from '../listen.ts';
import type { FirstMessage, Inheritance } from './predecessor.ts';
import { type EdgeSettings, edgeFilesOf, type StartReport } from '../protocol.ts';

const startMs = 10_000;

/** Objects made for a request die with its response, so a larger young generation only costs memory. A heap that grows
 * in smaller steps takes 18 MB less under load of HTTP/2, at no more CPU time. The memory of Maglev's jobs,
 * freed late by a background thread, leaves up to 8 MB of fragmented memory. `--expose-gc` is for `passed-bytes.ts` and
 * `release-memory.ts`. */
const nodeFlags = [
  '--max-semi-space-size=2',
  '--heap-growing-percent=20',
  '--no-maglev-destroy-on-background',
  '--expose-gc',
];

export class EdgeStartError extends Error {
  override name = 'EdgeStartError';
}

export type ListeningSockets = { listener: Server; tlsListener: Server | null };

type Start = {
  /** Path of the Node binary, and of the bundle that it runs. */
  execPath: string;
  program: string;
  settings: EdgeSettings;
  /** For an edge that takes over. */
  inheritance?: Inheritance;
};

/** Starts a detached edge and waits until it serves. Leaves the IPC channel open. */
export async function startProcess({ execPath, program, settings, inheritance }: Start): Promise<ChildProcess> {
  const { log } = edgeFilesOf(settings.dataDir);
  const child = spawnEdge({ execPath, program, settings }, inheritance ? '--take-over' : null, inheritance);
  if (inheritance) child.once('spawn', () => bequeath(child, inheritance));
  try {
    const report = await startReport(child, log);
    if (report.type === 'failed') throw new EdgeStartError(explain(report, settings));
    return child;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Spawns a process of the edge. `role`: the option that says what it does, besides being an edge of its own. */
export function spawnEdge(
  { execPath, program, settings }: Start,
  role: string | null,
  sockets?: ListeningSockets,
): ChildProcess {
  const { dataDir, instanceId, host, port } = settings;
  const where = ['--data-dir', dataDir, '--instance', instanceId, '--host', host, '--port', String(port)];
  const args = [...nodeFlags, program, ...where];
  const output = openSync(edgeFilesOf(dataDir).log, 'a', 0o600);
  const child = spawn(execPath, role === null ? args : [...args, role], {
    cwd: dataDir,
    // The service's environment contains secrets. One malloc arena: each thread's own would keep what it freed.
    env: { MALLOC_ARENA_MAX: '1' },
    // Its own session, so that Ctrl-C for the service does not reach it.
    detached: true,
    stdio: ['ignore', output, output, 'ipc', ...(sockets ? descriptorsOf(sockets) : [])],
  });
  closeSync(output);
  return child;
}

/** In the order of `inheritedSockets`. */
function descriptorsOf({ listener, tlsListener }: ListeningSockets): number[] {
  return (tlsListener ? [listener, tlsListener] : [listener]).map(descriptorOf);
}

/** Node exposes the descriptor nowhere else. */
function descriptorOf(server: Server): number {
  const { fd } = (server as Server & { _handle: { fd: number } })._handle;
  if (!(fd > 2)) throw new EdgeStartError('the socket of the edge cannot be handed over');
  return fd;
}

function bequeath(child: ChildProcess, { tlsListener, run, minutes }: Inheritance): void {
  const first: FirstMessage = { hasTls: tlsListener !== null, run, minutes };
  child.send(first);
}

function startReport(child: ChildProcess, log: string): Promise<StartReport> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(new EdgeStartError(`the edge ${why}; see ${log}`));
    const timer = setTimeout(() => fail(`was not ready within ${startMs / 1000} s`), startMs);
    child.once('message', (report: StartReport) => resolve(report));
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('exit', (code, signal) => fail(`exited with ${code ?? signal} before it was ready`));
    child.once('message', () => clearTimeout(timer)).once('exit', () => clearTimeout(timer));
  });
}

function explain(report: { code: string; message: string }, { host, port }: EdgeSettings): string {
  const text = explainListening(report, host, port, 'MOORING_EDGE_PORT');
  return text === report.message ? `the edge could not start: ${text}` : text;
}
