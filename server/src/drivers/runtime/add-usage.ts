import type { Usage } from './runtime.ts';

/** Adds up the usage of several services. */
export function addUsage(a: Usage, b: Usage): Usage {
  const limits = a.memoryLimitBytes === null || b.memoryLimitBytes === null;
  return {
    cpuPercent: a.cpuPercent + b.cpuPercent,
    memoryBytes: a.memoryBytes + b.memoryBytes,
    memoryLimitBytes: limits ? null : a.memoryLimitBytes! + b.memoryLimitBytes!,
    networkRxBytes: a.networkRxBytes + b.networkRxBytes,
    networkTxBytes: a.networkTxBytes + b.networkTxBytes,
  };
}
