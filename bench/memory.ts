import { execFileSync } from 'node:child_process';
import { deployUntilServing } from './deploying.ts';
import { memoryMegabytes, memoryMegabytesOf, type Running } from './processes.ts';
import { siteFolder } from './sources.ts';

/** Measured with one deployed site, after a few seconds. */
export async function idleMemory(service: Running, dataDir: string): Promise<number[]> {
  await deployUntilServing(service, 'idle', siteFolder('idle'), 'idle');
  await new Promise((resolve) => setTimeout(resolve, 5000));
  return memoryOf(service, dataDir);
}

/** Memory of the service and its edge, in megabytes. */
export const memoryOf = (service: Running, dataDir: string) => [
  memoryMegabytes(service),
  memoryMegabytesOf(edgeProcess(dataDir)),
];

function edgeProcess(dataDir: string): number {
  return Number(
    execFileSync('pgrep', ['-f', `edge.cjs --data-dir ${dataDir}`], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
}
