import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcessesOf } from '../server/test/rig/processes.ts';

export const token = `mrg_pat_${'b'.repeat(43)}`;
const root = join(import.meta.dirname, '..');

/** Same as `npm start` (scripts/paths.mjs). */
const serviceFlags = ['--max-semi-space-size=2'];

export type Running = { child: ChildProcess; url: string; readyMs: number; stop(): Promise<void> };

/** Starts a program and waits for the address that it prints. */
async function start(args: string[], env: Record<string, string>, address: RegExp): Promise<Running> {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      const found = address.exec((output += text))?.[1];
      if (found) resolve(found);
    });
  });
  await fetch(`${url}/api/health`);
  const readyMs = performance.now() - began;
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await gone;
  };
  return { child, url, readyMs, stop };
}

export const newDataDir = () => mkdtempSync(join(tmpdir(), 'mooring-bench-'));

/** Also ends the edge and the apps, which outlive the service. */
export function removeDataDir(dataDir: string): void {
  endProcessesOf(dataDir);
  rmSync(dataDir, { recursive: true, force: true });
}

export const startService = (dataDir: string, more: Record<string, string> = {}) =>
  start(
    [...serviceFlags, join(root, 'server/dist/main.js')],
    {
      MALLOC_ARENA_MAX: '1',
      PORT: '0',
      MOORING_DATA_DIR: dataDir,
      MOORING_EDGE_PORT: '0',
      MOORING_EDGE_TLS_PORT: '0',
      MOORING_ADMIN_TOKEN: token,
      MOORING_REQUEST_LIMIT: '0',
      MOORING_ANONYMOUS_REQUEST_LIMIT: '0',
      ...more,
    },
    /is ready at (\S+)/,
  );

/** A bare `node:http` server that responds to every request with the given bytes. */
export const startBare = (body: string) =>
  start([join(import.meta.dirname, 'bare-server.ts')], { BODY: body }, /at (\S+)/);

/** A git host whose only account has 2,000 repositories. */
export const startRepositoryHost = () => start([join(import.meta.dirname, 'repository-host.ts')], {}, /at (\S+)/);
/** A server that receives webhooks, verifies their signature and does nothing else. */
export const startBareHook = (secret: string) =>
  start([join(import.meta.dirname, 'bare-hook.ts')], { SECRET: secret }, /at (\S+)/);

/** CPU seconds of a process, from the kernel; ticks are hundredths on every supported Linux. */
export const cpuSeconds = ({ child }: Running): number => cpuSecondsOf(child.pid!);

/** Returns a process with its children, such as the workers of nginx. */
const familyOf = (pid: number): number[] => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
];

export const familyCpuSeconds = (pid: number): number =>
  familyOf(pid).reduce((sum, each) => sum + cpuSecondsOf(each), 0);

export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime, stime] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
  return (utime! + stime!) / 100;
}

export const memoryMegabytes = ({ child }: Running): number => memoryMegabytesOf(child.pid!);

export function memoryMegabytesOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!;
  return Math.round(Number(kilobytes) / 1024);
}
