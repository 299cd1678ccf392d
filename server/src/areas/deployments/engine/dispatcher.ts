import { inTransaction, isUnavailable } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import { appendEvents } from '../../../events/event-log.ts';
import { newId } from '../../../lib/ids.ts';
import type { Machines } from '../model/machines.ts';
import type { RunnerParts } from '../model/parts.ts';
import { Run } from './run.ts';
import { claimNextDeployment, updateUnderFence } from '../model/queue.ts';
import type { DeploymentRow } from '../model/store.ts';

const pollMs = 1000;

/** Concurrent builds on this replica, and of each organization on all replicas; null: no limit per organization. */
type BuildLimits = { perReplica: number; perOrganization: number | null };
type DispatcherParts = Omit<RunnerParts, 'parts' | 'processId'> & { machines: Machines };

/**
 * Claims deployments and runs each under its own lease. Builds have a concurrency limit; deployments that need no
 * build do not wait for it.
 */
export class Dispatcher {
  readonly #deps: DispatcherParts;
  readonly #owner: string;
  readonly #processId = newId('prc');
  readonly #limits: BuildLimits;
  readonly #running = new Map<string, { run: Run; done: Promise<void> }>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #complaint: string | undefined;

  constructor(deps: DispatcherParts, owner: string, limits: BuildLimits) {
    this.#deps = deps;
    this.#owner = owner;
    this.#limits = limits;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), pollMs);
    this.look();
  }

  /** Looks for work: a new deployment or a free build slot. Does nothing before `start`. */
  look(): void {
    if (!this.#timer) return;
    this.#looking = this.#looking
      .then(() => this.#takeAll())
      .then(() => (this.#complaint = undefined))
      .catch((error: Error) => this.#complain(error.message));
  }

  /** Logs each problem once, not on every look. */
  #complain(message: string): void {
    if (this.#complaint === message) return;
    this.#complaint = message;
    this.#deps.log.warn(`dispatcher: ${message}`);
  }

  /** Tells a run on this replica to check for requests at once. */
  wake(deploymentId: string): void {
    this.#running.get(deploymentId)?.run.wake();
  }

  /**
   * Resolves when this replica no longer works on it. For a deleted deployment, whose worker notices the deletion
   * here.
   */
  async ended(deploymentId: string): Promise<void> {
    this.wake(deploymentId);
    await this.#running.get(deploymentId)?.done;
  }

  /** Leaves the deployments as they are, for the next process to continue. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #takeAll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { perReplica, perOrganization } = this.#limits;
      const mayBuild = this.#building() < perReplica;
      const held = [...this.#running.keys()];
      const next = await claimNextDeployment(
        this.#deps.db,
        this.#deps.kind,
        this.#owner,
        held,
        mayBuild,
        perOrganization,
      );
      if (!next) return;
      await this.#begin(next);
    }
  }

  /**
   * A deployment that cannot start (its sealed settings do not open) fails at once instead of being retried forever.
   */
  async #begin(next: DeploymentRow): Promise<void> {
    try {
      const parts = await this.#deps.machines.of(next);
      const deps = { ...this.#deps, parts, here: this.#deps.machines.here, processId: this.#processId };
      this.#take(new Run(deps, next, this.#stopping.signal, () => this.look()));
    } catch (error) {
      // The lease is ours, so the next look retries.
      if (isUnavailable(error)) throw error;
      this.#deps.log.error({ err: error }, `deployment ${next.id} cannot start`);
      const message = error instanceof AppError ? error.message : 'its stored settings are not readable';
      const failure = { code: 'internal', step: null, message, hint: 'Redeploy.' };
      const over = { error: JSON.stringify(failure), finishedAt: Date.now(), leaseOwner: null, leaseUntil: null };
      await this.#deps.machines.here.host.endWork(next.id);
      const status = 'failed' as const;
      const events = (['status', 'end'] as const).map((type) => ({ type, at: Date.now(), data: { status } }));
      await inTransaction(this.#deps.db, async (trx) => {
        // Followers of the stream need the end event.
        if (await updateUnderFence(trx, next.id, next.fence, { status, ...over }))
          await appendEvents(trx, next.id, events, next.fence);
      });
      this.#deps.events.tell(next.id);
    }
  }

  #building(): number {
    return [...this.#running.values()].filter(({ run }) => run.needsBuildSlot).length;
  }

  #take(run: Run): void {
    const done = run
      .run()
      .catch((error: Error) => this.#deps.log.error({ err: error }, `deployment ${run.id}`))
      .finally(() => {
        this.#running.delete(run.id);
        if (!this.#stopping.signal.aborted) this.look();
      });
    this.#running.set(run.id, { run, done });
  }
}
