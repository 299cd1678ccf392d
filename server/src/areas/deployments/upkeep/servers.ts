import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Machines } from '../model/machines.ts';
import type { Parts } from '../model/parts.ts';
import type { Restarts } from './restart.ts';
import { claimUpkeep, releaseUpkeep } from '../engine/server-upkeep-lease.ts';
import { type DeploymentRow, selectServersInUse } from '../model/store.ts';
import { Upkeep } from './upkeep.ts';

const everyMs = 10_000;
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
  #timer: NodeJS.Timeout | undefined;
  #finding: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
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
    const own: Parts[] = [];
    for (const parts of await machines.onServers())
      if (await claimUpkeep(db, kind, parts.server!.id, owner)) own.push(parts);
    for (const [id, { parts }] of this.#known) if (!own.includes(parts)) void this.#leave(id);
    for (const parts of own) if (!this.#known.has(parts.server!.id)) this.#take(parts);
  }

  #take(parts: Parts): void {
    const { machines: _, ...on } = this.#deps;
    const isNeeded = () => this.#isNeeded(parts);
    const upkeep = new Upkeep({ ...on, parts, isNeeded });
    const ending = new AbortController();
    this.#known.set(parts.server!.id, { parts, upkeep, ending });
    void upkeep.start().then(() => on.restarts.finishThoseBefore(parts));
    void this.#keepEdge(parts, upkeep, ending.signal);
  }

  async #leave(id: string): Promise<void> {
    const { upkeep, ending } = this.#known.get(id)!;
    this.#known.delete(id);
    ending.abort();
    await upkeep.stop();
  }

  /** A removed server is being cleaned up, and upkeep must not restore anything there. */
  async #isNeeded({ server }: Parts): Promise<boolean> {
    return (await selectServersInUse(this.#deps.db)).some(({ serverId }) => serverId === server!.id);
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
