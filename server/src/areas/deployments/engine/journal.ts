import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { DeploymentStepTable, DeploymentTable } from '../../../db/tables.ts';
import { appendEvents, type EventLog, type EventType, LostLeaseError } from '../../../events/event-log.ts';
import type { DeploymentRow } from '../model/store.ts';
import { updateUnderFence } from '../model/queue.ts';
import { updateStep } from '../model/step-store.ts';

type Change = Partial<DeploymentTable>;
type Begun = Pick<DeploymentStepTable, 'attempt' | 'process' | 'crashes'>;
type Said = { type: EventType; data: Record<string, unknown> };

/** Writes rows and events of a held deployment together, under the fence. */
export class Journal {
  readonly #db: Db;
  readonly #events: EventLog;
  readonly #deployment: DeploymentRow;

  constructor(db: Db, events: EventLog, deployment: DeploymentRow) {
    this.#db = db;
    this.#events = events;
    this.#deployment = deployment;
  }

  async begin(name: string, begun: Begun, change: Change, quiet: boolean): Promise<void> {
    const { attempt } = begun;
    const said: Said[] = quiet ? [] : [{ type: 'step', data: { name, status: 'running', attempt } }];
    said.push(...this.#statusIn(change));
    await this.#write(change, said, { name, status: 'running', ...begun, startedAt: Date.now(), finishedAt: null });
  }

  /** Stores the result before the next step starts. */
  async finish(
    name: string,
    status: 'done' | 'skipped' | 'failed',
    result: unknown,
    change: Change,
    quiet: boolean,
    also?: (trx: Trx) => Promise<unknown>,
  ): Promise<void> {
    const said: Said[] = quiet ? [] : [{ type: 'step', data: { name, status } }];
    said.push(...this.#statusIn(change));
    if (change.finishedAt) said.push({ type: 'end', data: { status: change.status } });
    await this.#write(change, said, { name, status, finishedAt: Date.now(), result: JSON.stringify(result) }, also);
  }

  #statusIn({ status, decision = this.#deployment.decision }: Change): Said[] {
    return status ? [{ type: 'status', data: { status, decision } }] : [];
  }

  async write(change: Change, said: Said[], also?: (trx: Trx) => Promise<unknown>): Promise<void> {
    await this.#write(change, said, undefined, also);
  }

  async #write(
    change: Change,
    said: Said[],
    step: ({ name: string } & Partial<Record<string, unknown>>) | undefined,
    also?: (trx: Trx) => Promise<unknown>,
  ): Promise<void> {
    const { id, fence } = this.#deployment;
    await this.#events.flush(id);
    await inTransaction(this.#db, async (trx) => {
      await also?.(trx);
      // Updates the row even if nothing changes, to verify that we still hold it.
      if (!(await updateUnderFence(trx, id, fence, { fence, ...change })))
        throw new LostLeaseError(`deployment ${id} was taken over`);
      if (step) {
        const { name, ...rest } = step;
        await updateStep(trx, id, name, rest);
      }
      const at = Date.now();
      if (said.length)
        await appendEvents(
          trx,
          id,
          said.map((each) => ({ ...each, at })),
          fence,
        );
    });
    Object.assign(this.#deployment, change);
    this.#events.tell(id);
  }
}
