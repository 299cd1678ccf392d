import type { Db } from '../../db/database.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { Machines } from './machines.ts';
import type { Parts } from './parts.ts';
import type { Restarts } from './restart.ts';
import { Upkeep } from './upkeep.ts';

const everyMs = 10_000;

type On = { db: Db; machines: Machines; sealer: Sealer; log: Log; owner: string; restarts: Restarts };

/** Looks after servers, each at its own pace: one that is away holds up none of the others. */
export class UpkeepOfServers {
  readonly #on: On;
  readonly #known = new Map<string, { parts: Parts; upkeep: Upkeep }>();
  #timer: NodeJS.Timeout | undefined;
  #finding: Promise<void> | undefined;

  constructor(on: On) {
    this.#on = on;
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#look();
  }

  /** Something has changed on one of them. */
  soon(serverId: string): void {
    this.#known.get(serverId)?.upkeep.soon();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#finding;
    await Promise.all([...this.#known.values()].map(({ upkeep }) => upkeep.stop()));
  }

  #look(): void {
    this.#finding ??= this.#find()
      .catch((error: Error) => this.#on.log.warn(`looking for servers: ${error.message}`))
      .finally(() => (this.#finding = undefined));
  }

  /** Those that have become ours to look after, and those that are not any more. */
  async #find(): Promise<void> {
    const { machines, ...on } = this.#on;
    const all = await machines.onServers();
    const current = new Set(all);
    for (const [id, { parts, upkeep }] of this.#known) {
      if (current.has(parts)) continue;
      this.#known.delete(id);
      void upkeep.stop();
    }
    for (const parts of all) {
      const { id } = parts.server!;
      if (this.#known.has(id)) continue;
      const upkeep = new Upkeep({ ...on, parts });
      this.#known.set(id, { parts, upkeep });
      void upkeep.start().then(() => on.restarts.finishThoseBefore(parts));
    }
  }
}
