import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { removeEngines, unmountIn } from './docker-leftovers.ts';
import { endProcessesOf, startTime } from './processes.ts';
import { stopMachines } from './systemd-leftovers.ts';

export { endProcessesOf, startTime } from './processes.ts';

// Everything that a test run starts or writes is under one folder, named after the run's process. Leftovers, even
// after kill -9, are removed by that run's teardown or at the start of the next one.
const runs = join(tmpdir(), 'mooring-rig');

// For gates, because apps of root have a private /tmp, and for files that many tests make and delete.
const outside = { gates: '/run/mooring-rig', memory: '/dev/shm/mooring-rig' };

/** The folder of this run; workers inherit it from the main process. */
export function rigFolder(): string {
  const folder = (process.env['MOORING_RIG_FOLDER'] ??= join(runs, String(process.pid)));
  mkdirSync(join(folder, 'pids'), { recursive: true });
  return folder;
}

/** A folder outside of the run's, which is removed with it. */
export function folderOutside(kind: keyof typeof outside, run: string): string {
  const folder = join(outside[kind], basename(run));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Creates an empty folder of this run. World-readable, for servers that refuse to run as root. */
export const newFolder = (name: string): string => mkdtempSync(join(rigFolder(), `${name}-`));

const neededBytes = 1024 ** 3;

/** An empty folder in memory where there is plenty, for content that may be lost. */
export function newMemoryFolder(name: string): string {
  const hasRoom = existsSync('/dev/shm') && freeBytes('/dev/shm') > neededBytes && freemem() > 2 * neededBytes;
  return hasRoom ? mkdtempSync(join(folderOutside('memory', rigFolder()), `${name}-`)) : newFolder(name);
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

export function spawnRecorded(file: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(file, args, options);
  const record = join(rigFolder(), 'pids', String(child.pid));
  if (child.pid) writeFileSync(record, startTime(child.pid));
  child.once('exit', () => rmSync(record, { force: true }));
  return child;
}

export function endRun(folder: string): void {
  const pids = join(folder, 'pids');
  for (const pid of existsSync(pids) ? readdirSync(pids).map(Number) : []) {
    // The pid may have been reused; the start time tells.
    if (startTime(pid) === readFileSync(join(pids, String(pid)), 'utf8')) process.kill(pid, 'SIGKILL');
  }
  endProcessesOf(folder);
  removeEngines(folder);
  stopMachines(folder);
  if (existsSync('/proc')) unmountIn(folder);
  for (const root of Object.values(outside)) rmSync(join(root, basename(folder)), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export function endAbandonedRuns(): void {
  for (const name of existsSync(runs) ? readdirSync(runs) : [])
    if (/^\d+$/.test(name) && !startTime(Number(name))) endRun(join(runs, name));
}

/** Waits for the process to end, and returns its exit code or signal. */
export function exited(child: ChildProcess): Promise<number | NodeJS.Signals> {
  const { exitCode, signalCode } = child;
  if (exitCode !== null || signalCode !== null) return Promise.resolve(exitCode ?? signalCode!);
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal!)));
}
