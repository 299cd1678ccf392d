import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, Sql } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { deleteTask, insertTask, selectTasksOf, type TaskRow } from '../model/background-store.ts';

const retryMs = 10_000;
/** A request waits this long for the outcome, and then responds with the current state. */
const answerMs = 1500;

/** Parses the details of its own kind. */
type Handler = (details: string, id: string) => Promise<void>;

/**
 * Work that takes longer than a request may wait. Tasks are stored first, so that a killed process resumes them on
 * restart; failed ones are retried.
 */
export class BackgroundTasks {
  readonly #deps: { db: Db; owner: string; log: Log };
  readonly #handlers = new Map<string, Handler>();
  readonly #running = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: { db: Db; owner: string; log: Log }) {
    this.#deps = deps;
  }

  handle(kind: string, handler: Handler): void {
    this.#handlers.set(kind, handler);
  }

  /** Stores the task in the caller's transaction. Call `begin` after the commit. */
  async add(sql: Sql, kind: string, id: string, details: object): Promise<void> {
    const { owner } = this.#deps;
    await insertTask(sql, { id, kind, owner, details: JSON.stringify(details), createdAt: Date.now() });
  }

  /** Resolves when the task is done, or after the longest time that a request may wait. */
  async begin(id: string): Promise<void> {
    await this.#look();
    await Promise.race([this.#running.get(id), sleep(answerMs, undefined, { ref: false })]);
  }

  /** Also resumes unfinished tasks. */
  start(): void {
    const look = () =>
      void this.#look().catch((error: Error) => this.#deps.log.warn(`background tasks: ${error.message}`));
    this.#timer = setInterval(look, retryMs);
    look();
  }

  /** Waits a moment for running tasks; the next start resumes them. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.race([Promise.all(this.#running.values()), sleep(answerMs, undefined, { ref: false })]);
  }

  async #look(): Promise<void> {
    for (const task of await selectTasksOf(this.#deps.db, this.#deps.owner))
      if (!this.#running.has(task.id)) this.#running.set(task.id, this.#run(task));
  }

  async #run({ id, kind, details }: TaskRow): Promise<void> {
    const { db, log } = this.#deps;
    try {
      const handler = this.#handlers.get(kind);
      if (!handler) throw new Error(`unknown background task ${kind}`);
      await handler(details, id);
      await deleteTask(db, id);
    } catch (error) {
      log.warn(`${kind} of ${id} is retried: ${(error as Error).message}`);
    } finally {
      this.#running.delete(id);
    }
  }
}
