import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../runtime.ts';
import { membersOf, type ProcessTree } from '../../host/process-tree.ts';
import { proportionalBytes } from '../../host/processes.ts';

const ticksPerSecond = 100;
const betweenReadingsMs = 250;

/** Measures the app's processes: CPU between two readings, memory now. Network traffic is not tracked per process. */
export async function usageOf(tree: ProcessTree, memoryLimitBytes: number | null): Promise<Usage> {
  const before = new Map(membersOf(tree).map((each) => [`${each.pid} ${each.startTime}`, each.ticks]));
  const began = performance.now();
  await sleep(betweenReadingsMs);
  const members = membersOf(tree);
  const seconds = (performance.now() - began) / 1000;
  const used = members.map((each) => each.ticks - (before.get(`${each.pid} ${each.startTime}`) ?? 0));
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    cpuPercent: Math.round((sum(used) / ticksPerSecond / seconds) * 1000) / 10,
    memoryBytes: sum(members.map(({ pid }) => proportionalBytes(pid))),
    memoryLimitBytes,
    networkRxBytes: 0,
    networkTxBytes: 0,
  };
}
