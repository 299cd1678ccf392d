import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../db/database.ts';
import type { Instance } from '../../drivers/runtime/runtime.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import { startAgain } from './active-releases.ts';
import type { Parts } from './parts.ts';
import { tcpAnswers } from './steps/check.ts';
import { type DeploymentRow, selectActiveOn } from './store.ts';

const holdMs = 30_000;
const drainMs = 10_000;
const lookMs = 50;

type On = { db: Db; parts: Parts; sealer: Sealer; log: Log; owner: string };

/** Restarts releases without losing a request: new ones wait in the edge until those under way are answered and the app is
 * back. */
export class Restarts {
  readonly #on: On;
  readonly #underWay = new Map<string, Promise<void>>();
  /** Orphans that were to be replaced once. */
  readonly #tried = new Set<string>();

  constructor(on: On) {
    this.#on = on;
  }

  /** Who asks while it is being restarted gets that restart: two at once would end each other's hold. */
  restart(deployment: DeploymentRow): Promise<void> {
    const { id } = deployment;
    const underWay = this.#underWay.get(id) ?? this.#restart(deployment).finally(() => this.#underWay.delete(id));
    this.#underWay.set(id, underWay);
    return underWay;
  }

  /** Active releases that run without a supervisor get one, and begin anew with it. Each is tried once: one that cannot be
   * replaced serves on, and its visitors are not held up again and again. */
  async replaceOrphans(): Promise<void> {
    const { db, parts, log, owner } = this.#on;
    for (const deployment of await selectActiveOn(db, owner)) {
      const found = await parts.runtime.find(deployment.id);
      const name = `${deployment.id} ${found?.startedAt}`;
      if (!found?.isOrphan || this.#tried.has(name)) continue;
      this.#tried.add(name);
      log.warn(`${deployment.id} runs without its supervisor: it is started anew`);
      await this.restart(deployment).catch((error: Error) =>
        log.error(`${deployment.id} has no supervisor until it is restarted: ${error.message}`),
      );
    }
  }

  async #restart(deployment: DeploymentRow): Promise<void> {
    const { id } = deployment;
    const { edge } = this.#on.parts;
    const giveUp = Date.now() + holdMs;
    // Without an edge there is nobody to lose; a restart is what helps in trouble.
    const without = (error: Error) =>
      this.#on.log.warn(`the restart of ${id} goes on without the edge: ${error.message}`);
    const left = await edge.hold(id, { withinMs: holdMs, drainMs }).catch(without);
    if (left) this.#on.log.info(`${left} requests to ${id} took longer than ${drainMs / 1000} s before its restart`);
    try {
      await this.#untilItAnswers(await this.#begin(deployment), giveUp);
    } finally {
      await edge.resume(id).catch(without);
    }
  }

  /** A supervisor has the app's variables; without one they come from the database. */
  async #begin(deployment: DeploymentRow): Promise<Instance> {
    const { runtime } = this.#on.parts;
    if (!(await runtime.find(deployment.id))?.isOrphan) return runtime.restart(deployment.id);
    const begun = await startAgain(this.#on, deployment);
    if (!begun) throw new Error(`${deployment.id} is not active any more`);
    return begun;
  }

  /** Or has ended, or those who wait have waited long enough. */
  async #untilItAnswers({ host, port, restarts, owner }: Instance, giveUp: number): Promise<void> {
    const { runtime } = this.#on.parts;
    while (Date.now() < giveUp) {
      if ((await tcpAnswers(host, port, AbortSignal.timeout(holdMs))) === true) return;
      const now = await runtime.find(owner.deploymentId);
      const isUp = now?.state === 'running' || now?.state === 'restarting';
      if (!isUp || now.restarts > restarts) return;
      await sleep(lookMs);
    }
  }
}
