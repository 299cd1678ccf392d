import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { deployUntilServing } from './deploying.ts';
import { memoryMegabytesOf, type Running } from './processes.ts';
import { siteFolder } from './sources.ts';

/** Measured with one deployed site, after a few seconds. In a new data folder, the first start compiles the code that
 * later ones load. */
export async function memoryAfterFirst(service: Running, dataDir: string): Promise<number[]> {
  await deployUntilServing(service, 'idle', siteFolder('idle'), 'idle');
  await new Promise((resolve) => setTimeout(resolve, 5000));
  return memoryOf(service, dataDir);
}

/** Returns the resident memory of the service and of its edge in megabytes, and what both take of the machine: most of
 * the edge's resident memory are the same pages of the Node binary as the service's. */
export function memoryOf(service: Running, dataDir: string): number[] {
  const pids = [service.child.pid!, edgeProcess(dataDir)];
  const own = pids.reduce((sum, pid) => sum + kilobytes(pid, 'Private'), 0);
  const shared = Math.max(...pids.map((pid) => kilobytes(pid, 'Shared')));
  return [...pids.map(memoryMegabytesOf), Math.round((own + shared) / 1024)];
}

export const memoryText = ([service, edge, together]: number[]): string =>
  `${service} + ${edge} MB, ${together} MB with shared pages counted once`;

function kilobytes(pid: number, kind: 'Private' | 'Shared'): number {
  const lines = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(
    new RegExp(`^${kind}_(?:Clean|Dirty): +(\\d+)`, 'gm'),
  );
  return [...lines].reduce((sum, [, size]) => sum + Number(size), 0);
}

function edgeProcess(dataDir: string): number {
  return Number(
    execFileSync('pgrep', ['-f', `edge.cjs --data-dir ${dataDir}`], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
}
