import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { cachedFor } from '../../../lib/concurrency.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { selectHolds, type StoredHold } from '../model/hold-store.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import type { Restarts } from './restart.ts';
import { claimUpkeep, releaseUpkeep } from '../engine/server-upkeep-lease.ts';
import { type DeploymentRow, isServerInUse } from '../model/store.ts';
import { type PurgedVolume, selectPurged } from '../model/volume-store.ts';
import { Upkeep } from './upkeep.ts';

const everyMs = 10_000;
/** Between the rounds of two servers, so that those of many do not come at once. */
const spreadMs = 10;
/** Servers share what is read for the whole instance. */
const sharedMs = 1000;
/** Pauses before recreating an edge that was removed, and one that failed to start. */
const betweenEdgesMs = 200;
const edgePauseMs = 5000;

type Deps = {
  db: Db;
  kind: DatabaseKind;
  machines: Machines;
  sealer: Sealer;
  log: Log;
  owner: string;
  restarts: Restarts;
  rebuild: (active: DeploymentRow) => Promise<boolean>;
};

type LookedAfter = { parts: Parts; upkeep: Upkeep; ending: AbortController };

/**
 * Runs the upkeep of servers, each at its own pace, so that an unreachable one blocks no other. One replica maintains
 * each server.
 */
export class UpkeepOfServers {
  readonly #deps: Deps;
  readonly #known = new Map<string, LookedAfter>();
  readonly #shared: { holds: () => Promise<StoredHold[]>; purged: () => Promise<PurgedVolume[]> };
  #timer: NodeJS.Timeout | undefined;
  #finding: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#shared = {
      holds: cachedFor(() => selectHolds(deps.db), sharedMs),
      purged: cachedFor(() => selectPurged(deps.db), sharedMs),
    };
  }

  start(): void {
    this.#timer = setInterval(() => this.#look(), everyMs);
    this.#look();
  }

  /** Starts a round for a server on which something has changed. */
  soon(serverId: string): void {
    this.#known.get(serverId)?.upkeep.soon();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#finding;
    await Promise.all([...this.#known.keys()].map((id) => this.#leave(id)));
    await releaseUpkeep(this.#deps.db, this.#deps.owner).catch((error: Error) =>
      this.#deps.log.warn(`servers are checked later by another replica: ${error.message}`),
    );
  }

  #look(): void {
    this.#finding ??= this.#find()
      .catch((error: Error) => this.#deps.log.warn(`listing servers: ${error.message}`))
      .finally(() => (this.#finding = undefined));
  }

  /** Takes and releases servers according to the leases. */
  async #find(): Promise<void> {
    const { machines, db, kind, owner } = this.#deps;
    const all = await machines.onServers();
    const ids = all.map(({ server }) => server!.id);
    const claimed = await claimUpkeep(db, kind, ids, owner);
    const own = new Set(all.filter(({ server }) => claimed.has(server!.id)));
    for (const [id, { parts }] of this.#known) if (!own.has(parts)) void this.#leave(id);
    let delayMs = 0;
    for (const parts of own) if (!this.#known.has(parts.server!.id)) this.#take(parts, (delayMs += spreadMs));
  }

  #take(parts: Parts, delayMs: number): void {
    const { machines: _, ...on } = this.#deps;
    const isNeeded = () => this.#isNeeded(parts);
    const upkeep = new Upkeep({ ...on, ...this.#shared, parts, isNeeded });
    const ending = new AbortController();
    this.#known.set(parts.server!.id, { parts, upkeep, ending });
    void this.#begin(parts, upkeep, ending.signal, delayMs);
  }

  async #begin(parts: Parts, upkeep: Upkeep, signal: AbortSignal, delayMs: number): Promise<void> {
    await sleep(delayMs, undefined, { ref: false });
    if (signal.aborted) return;
    void upkeep.start().then(() => this.#deps.restarts.finishThoseBefore(parts));
    await this.#keepEdge(parts, upkeep, signal);
  }

  async #leave(id: string): Promise<void> {
    const { upkeep, ending } = this.#known.get(id)!;
    this.#known.delete(id);
    ending.abort();
    await upkeep.stop();
  }

  /** A removed server is being cleaned up, and upkeep must not restore anything there. */
  #isNeeded({ server }: Parts): Promise<boolean> {
    return isServerInUse(this.#deps.db, server!.id);
  }

  /** Keeps the server's edge at our version and recreates it when it was removed. It serves without us, too. */
  async #keepEdge(parts: Parts, upkeep: Upkeep, signal: AbortSignal): Promise<void> {
    const { edge, server } = parts;
    const ended = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    for (let pauseMs = 0; !signal.aborted; await Promise.race([sleep(pauseMs, undefined, { ref: false }), ended])) {
      try {
        pauseMs = edgePauseMs;
        if (!(await this.#isNeeded(parts))) continue;
        await edge.ensure();
        await Promise.race([edge.gone(), ended]);
        pauseMs = betweenEdgesMs;
        if (!signal.aborted) upkeep.soon();
      } catch (error) {
        if (!signal.aborted) this.#deps.log.warn(`the edge on ${server!.name}: ${(error as Error).message}`);
      }
    }
  }
}
