import type { Parts } from '../model/parts.ts';
import type { DeploymentRow } from '../model/store.ts';
import { cachedFor } from '../../../lib/concurrency.ts';
import {
  stopOrphans,
  makeRoomAtStart,
  removeFolders,
  removeImages,
  removeNamelessImages,
  removeSentFiles,
} from './leftovers.ts';
import { pruneTools } from '../build/toolchain/toolchain.ts';
import { emptyOldCaches } from '../build/packages/npm-cache.ts';
import { prunePackages } from '../build/packages/package-store.ts';
import type { Restarts } from './restart.ts';
import { resumeServices } from './holds.ts';
import { type OpenedColumns, readStacks, type UpkeepDeps } from './resting-stacks.ts';
import { reviveServices } from './services.ts';
import { repointServices, stopReplacedServices } from './service-routes.ts';
import { ReplicaUpkeep } from './replicas.ts';
import { StrayWriteUpkeep } from './stray-writes.ts';
import { UnreachableUpkeep } from './unreachable.ts';
import type { PurgedVolume } from '../model/volume-store.ts';
import { purgeVolumes } from './volumes.ts';
import { RoundInstances } from './round-instances.ts';

const everyMs = 10_000;

type Deps = Pick<UpkeepDeps, 'db' | 'parts' | 'sealer' | 'log' | 'owner' | 'holds'> & {
  /** Volumes of the instance to delete; read from the database by default. */
  purged?: () => Promise<PurgedVolume[]>;
  restarts: Restarts;
  rebuild: (active: DeploymentRow) => Promise<boolean>;
  /** Whether there is anything to maintain; always, by default. */
  isNeeded?: () => Promise<boolean>;
};

/** Reconciles one machine with the database. Failed tasks are retried in the next round. */
export class Upkeep {
  readonly #deps: Deps;
  readonly #replicas = new ReplicaUpkeep(() => this.soon());
  readonly #duties = {
    'paused services': resumeServices,
    services: reviveServices,
    replicas: this.#replicas.startMissing,
    'unreachable services': new UnreachableUpkeep().look,
    leftovers: stopOrphans,
    routes: repointServices,
    'surplus replicas': this.#replicas.endExtra,
    'replaced services': stopReplacedServices,
    'files outside volumes': new StrayWriteUpkeep().look,
  };
  readonly #dutiesInTheEngine = {
    images: removeImages,
    'images without a name': removeNamelessImages,
    'files of compose stacks': removeSentFiles,
    'removed volumes': purgeVolumes,
    'the build cache': pruneCache(),
  };
  readonly #prunePackages = prunePackages();
  readonly #pruneTools = pruneTools();
  readonly #opened = new Map<string, OpenedColumns>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Runs the first round, then one every few seconds. */
  async start(): Promise<void> {
    this.#timer = setInterval(() => void this.#look(), everyMs);
    if (this.#isHere) {
      await this.#try('making room', () => makeRoomAtStart(this.#deps));
      await this.#try('package caches of earlier versions', () => emptyOldCaches(this.#deps.parts.folders));
    }
    await this.#look();
  }

  /** Sources and sites exist only on this machine. */
  get #isHere(): boolean {
    return this.#deps.parts.server === null;
  }

  /** Starts a round soon, because something has changed. */
  soon(): void {
    void (this.#round ?? Promise.resolve()).then(() => this.#look());
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#round;
  }

  /** Runs one round at a time, and none once it is stopped: another replica may look after the machine then. */
  async #look(): Promise<void> {
    if (!this.#timer) return;
    await (this.#round ??= this.#all().finally(() => (this.#round = undefined)));
  }

  async #all(): Promise<void> {
    const { isNeeded } = this.#deps;
    const seen = cachedFor(() => readStacks(this.#deps, this.#opened), Infinity);
    // Without the database the round fails anyway.
    const isEmpty = async () => !(await seen()).rows.length && !(await isNeeded!());
    if (isNeeded && (await isEmpty().catch(() => false))) return;
    const around = new RoundInstances(this.#deps.parts.runtime);
    const deps = { ...this.#deps, around, replicas: this.#replicas, seen };
    const attempt = (duty: (each: typeof deps) => Promise<void>) => () =>
      duty(deps).catch((error: unknown) => around.notice(error));
    if (this.#isHere) {
      await this.#try('release folders', attempt(removeFolders));
      await this.#try('shared packages', attempt(this.#prunePackages));
      await this.#try('downloaded tools', attempt(this.#pruneTools));
    }
    for (const [what, duty] of Object.entries(this.#duties)) await this.#try(what, attempt(duty));
    for (const [what, duty] of Object.entries(this.#dutiesInTheEngine))
      if (!around.away) await this.#try(what, attempt(duty));
    if (around.away) this.#deps.log.warn(`checking containers${this.#place}: ${around.away.message}`);
  }

  get #place(): string {
    const { server } = this.#deps.parts;
    return server ? ` on ${server.name}` : '';
  }

  async #try(what: string, act: () => Promise<void>): Promise<void> {
    await act().catch((error: Error) => this.#deps.log.warn(`upkeep of ${what}${this.#place}: ${error.message}`));
  }
}

/** An engine with many entries takes minutes to count them. */
const pruneEveryMs = 3_600_000;

/** Returns a task that prunes the build cache every hour. */
function pruneCache(): (deps: { parts: Parts }) => Promise<void> {
  let last = Date.now();
  return async ({ parts: { containers, buildCacheBytes } }) => {
    if (!containers || Date.now() - last < pruneEveryMs) return;
    last = Date.now();
    await containers.images.prune(buildCacheBytes);
  };
}
