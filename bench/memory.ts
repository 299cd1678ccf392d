import { execFileSync } from 'node:child_process';
import { deployUntilServing } from './deploying.ts';
import { memoryMegabytes, memoryMegabytesOf, type Running } from './processes.ts';
import { siteFolder } from './sources.ts';

/** With one site deployed, a few seconds later. */
export async function idleMemory(service: Running, dataDir: string): Promise<number[]> {
  await deployUntilServing(service, 'idle', siteFolder('idle'), 'idle');
  await new Promise((resolve) => setTimeout(resolve, 5000));
  return memoryOf(service, dataDir);
}

/** Of the service and of its edge, in megabytes. */
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
