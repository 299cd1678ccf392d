import { readFileSync } from 'node:fs';
import { availableParallelism, release, totalmem } from 'node:os';
import { deployments } from './deployments.ts';
import { docker } from './docker.ts';
import { edge } from './edge.ts';
import { stack } from './stack.ts';
import type { BenchmarkRow } from './table.ts';

/** Mooring against what people use otherwise, on this machine: Caddy and nginx, `docker build && docker run`,
 * `docker compose up`, and commands by hand. */
export async function peers(): Promise<BenchmarkRow[]> {
  console.log(machine());
  const rows: BenchmarkRow[] = [];
  for (const benchmark of [edge, docker, stack, deployments]) rows.push(...(await benchmark()));
  return rows.filter(({ against }) => against !== undefined);
}

function machine(): string {
  const model = /^(?:model name|Processor)\s*:\s*(.+)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1];
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${availableParallelism()} cores (${model ?? process.arch}), ${memory}, Linux ${release()}, Node ${process.version}`;
}
