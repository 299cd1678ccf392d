import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../runtime.ts';
import type { EngineClient } from './engine/client.ts';
import type { Stats } from './engine/types.ts';
import type { OwnContainer } from './own-containers.ts';

/** One sample of a container. */
export interface UsageSample {
  atMs: number;
  cpuNanoseconds: number;
  memoryBytes: number;
  networkRxBytes: number;
  networkTxBytes: number;
}

const betweenReadingsMs = 250;
/** An older sample says little about now. */
const oldestMs = 15_000;

/** Measures a container with two samples of our own: the engine's figure takes one or two seconds. The last sample is
 * kept, so that a repeated measurement needs only one. */
export class UsageMeter {
  readonly #engine: EngineClient;
  readonly #last = new Map<string, { reading: UsageSample; takenAt: number }>();

  constructor(engine: EngineClient) {
    this.#engine = engine;
  }

  async measure({ info: { Id, HostConfig } }: OwnContainer): Promise<Usage> {
    this.#forgetOld();
    const first = this.#last.get(Id) ?? (await this.#read(Id));
    await sleep(Math.max(0, first.takenAt + betweenReadingsMs - performance.now()));
    const second = await this.#read(Id);
    this.#last.set(Id, second);
    return usageBetween(first.reading, second.reading, HostConfig.Memory || null);
  }

  #forgetOld(): void {
    for (const [id, { takenAt }] of this.#last) if (performance.now() - takenAt > oldestMs) this.#last.delete(id);
  }

  async #read(id: string): Promise<{ reading: UsageSample; takenAt: number }> {
    const query = { stream: false, 'one-shot': true };
    const stats = await this.#engine.json<Stats>({ method: 'GET', path: `/containers/${id}/stats`, query });
    return { reading: usageSampleOf(stats), takenAt: performance.now() };
  }
}

/** Returns the same figures for cgroup v1 and v2. */
export function usageSampleOf({ read, cpu_stats, memory_stats, networks = {} }: Stats): UsageSample {
  const { usage = 0, stats = {} } = memory_stats;
  // Page cache that can be dropped at any time is not memory that the app needs.
  const droppable = stats['total_inactive_file'] ?? stats['inactive_file'] ?? 0;
  const each = Object.values(networks);
  return {
    atMs: Date.parse(read),
    cpuNanoseconds: cpu_stats.cpu_usage.total_usage,
    memoryBytes: Math.max(0, usage - droppable),
    networkRxBytes: each.reduce((total, { rx_bytes }) => total + rx_bytes, 0),
    networkTxBytes: each.reduce((total, { tx_bytes }) => total + tx_bytes, 0),
  };
}

export function usageBetween(first: UsageSample, second: UsageSample, memoryLimitBytes: number | null): Usage {
  const ms = second.atMs - first.atMs;
  // A container restarted in between starts again at 0.
  const used = Math.max(0, second.cpuNanoseconds - first.cpuNanoseconds) / 1e6;
  return {
    cpuPercent: ms > 0 ? Math.round((used / ms) * 1000) / 10 : 0,
    memoryBytes: second.memoryBytes,
    memoryLimitBytes,
    networkRxBytes: second.networkRxBytes,
    networkTxBytes: second.networkTxBytes,
  };
}
