import { inTransaction, isUnavailable } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import { appendEvents } from '../../../events/event-log.ts';
import { newId } from '../../../lib/ids.ts';
import type { Machines } from '../model/machines.ts';
import type { RunnerParts } from '../model/parts.ts';
import { Run } from './run.ts';
import { claimNext, updateHeld } from '../model/queue.ts';
import type { DeploymentRow } from '../model/store.ts';

const pollMs = 1000;

/** How many build at once here, and how many of each organization on all replicas; null: as many as there are places. */
type Places = { atOnce: number; ofEach: number | null };
type DispatcherParts = Omit<RunnerParts, 'parts' | 'processId'> & { machines: Machines };

/** Finds work and does it, each deployment under a lease of its own. Only some build at a time; what is built already does
 * not wait for them. */
export class Dispatcher {
  readonly #deps: DispatcherParts;
  readonly #owner: string;
  readonly #processId = newId('prc');
  readonly #places: Places;
  readonly #running = new Map<string, { run: Run; done: Promise<void> }>();
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<unknown> = Promise.resolve();
  #complaint: string | undefined;

  constructor(deps: DispatcherParts, owner: string, places: Places) {
    this.#deps = deps;
    this.#owner = owner;
    this.#places = places;
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), pollMs);
    this.look();
  }

  /** There may be something to do: a new deployment, or a free place. Before `start` nothing is begun. */
  look(): void {
    if (!this.#timer) return;
    this.#looking = this.#looking
      .then(() => this.#takeAll())
      .then(() => (this.#complaint = undefined))
      .catch((error: Error) => this.#complain(error.message));
  }

  /** Once for each trouble, not once for each look. */
  #complain(message: string): void {
    if (this.#complaint === message) return;
    this.#complaint = message;
    this.#deps.log.warn(`dispatcher: ${message}`);
  }

  /** Something was asked of a deployment; whoever runs it here should know at once. */
  wake(deploymentId: string): void {
    this.#running.get(deploymentId)?.run.wake();
  }

  /** Resolves when nobody here works on it any more; for one that was deleted, whose worker finds that out by this. */
  async ended(deploymentId: string): Promise<void> {
    this.wake(deploymentId);
    await this.#running.get(deploymentId)?.done;
  }

  /** Leaves everything as it is, for the next service to go on with. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #takeAll(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { atOnce, ofEach } = this.#places;
      const mayBuild = this.#building() < atOnce;
      const held = [...this.#running.keys()];
      const next = await claimNext(this.#deps.db, this.#deps.kind, this.#owner, held, mayBuild, ofEach);
      if (!next) return;
      await this.#begin(next);
    }
  }

  /** What cannot even be begun (its sealed settings do not open) fails at once instead of being tried for ever. */
  async #begin(next: DeploymentRow): Promise<void> {
    try {
      const parts = await this.#deps.machines.of(next);
      const deps = { ...this.#deps, parts, here: this.#deps.machines.here, processId: this.#processId };
      this.#take(new Run(deps, next, this.#stopping.signal, () => this.look()));
    } catch (error) {
      // It is ours, and taken up again with the next look.
      if (isUnavailable(error)) throw error;
      this.#deps.log.error({ err: error }, `deployment ${next.id} cannot start`);
      const message = error instanceof AppError ? error.message : 'its stored settings are not readable';
      const failure = { code: 'internal', step: null, message, hint: 'Redeploy.' };
      const over = { error: JSON.stringify(failure), finishedAt: Date.now(), leaseOwner: null, leaseUntil: null };
      await this.#deps.machines.here.host.endWork(next.id);
      const status = 'failed' as const;
      const events = (['status', 'end'] as const).map((type) => ({ type, at: Date.now(), data: { status } }));
      await inTransaction(this.#deps.db, async (trx) => {
        // Whoever follows it hears of its end.
        if (await updateHeld(trx, next.id, next.fence, { status, ...over }))
          await appendEvents(trx, next.id, events, next.fence);
      });
      this.#deps.events.tell(next.id);
    }
  }

  #building(): number {
    return [...this.#running.values()].filter(({ run }) => run.needsPlace).length;
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
