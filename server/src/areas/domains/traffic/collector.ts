import { type Db, inTransaction } from '../../../db/database.ts';
import type { TrafficTable } from '../../../db/tables.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import { sumOf } from './histogram.ts';
import {
  addToHour,
  deleteTrafficBefore,
  rowOf,
  selectOwners,
  sumIn,
  takeMinutesBefore,
  upsertMinutes,
} from './store.ts';

const everyMs = 15_000;
const tidyEveryMs = 300_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Minutes are told apart for a day, hours for a month. */
const minutesForMs = 24 * hourMs;
const hoursForMs = 31 * 24 * hourMs;
/** The edge keeps an hour; of the last minutes some may not have been over. */
const edgeKeepsMinutes = 60;

/** Fetches what the edge has counted, a few times in a minute: requests cost nothing in the database. */
export class TrafficCollector {
  readonly #db: Db;
  readonly #edge: Edge;
  readonly #rounds: Rounds;
  #since = 0;
  #tidyAt = 0;

  constructor({ db, edge, log }: { db: Db; edge: Edge; log: Log }) {
    this.#db = db;
    this.#edge = edge;
    const warn = (message: string) => log.warn(`counting requests: ${message}`);
    this.#rounds = new Rounds({ everyMs, warn, round: () => this.#round() });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #round(): Promise<void> {
    await this.collect();
    if (Date.now() < this.#tidyAt) return;
    this.#tidyAt = Date.now() + tidyEveryMs;
    await this.tidy();
  }

  async collect(now = Date.now()): Promise<void> {
    const minute = Math.floor(now / minuteMs);
    const since = Math.max(this.#since, minute - edgeKeepsMinutes);
    const { run, minutes } = await this.#edge.traffic(since);
    if (minutes.length) {
      const projectOf = (key: string) => key.split('/')[0]!;
      const ids = [...new Set(minutes.map(({ key }) => projectOf(key)))];
      const owners = new Map((await selectOwners(this.#db, ids)).map((row) => [row.id, row.organization_id]));
      const rows = minutes.flatMap(({ key, minute: at, ...counts }): TrafficTable[] => {
        const [project_id = '', environment = ''] = key.split('/');
        const organization_id = owners.get(project_id);
        if (!organization_id) return [];
        const of = { organization_id, project_id, environment, span: 'minute', begins_at: at * minuteMs, run };
        return [{ ...of, ...rowOf(counts) }];
      });
      await upsertMinutes(this.#db, rows);
    }
    // The one before may have got the last requests that were under way.
    this.#since = minute - 1;
  }

  /** Minutes of yesterday become hours, and hours of last month go. */
  async tidy(now = Date.now()): Promise<void> {
    const before = Math.floor((now - minutesForMs) / hourMs) * hourMs;
    await inTransaction(this.#db, async (trx) => {
      const minutes = await takeMinutesBefore(trx, before);
      const hours = Map.groupBy(minutes, (row) =>
        JSON.stringify([row.project_id, row.environment, Math.floor(row.begins_at / hourMs)]),
      );
      for (const rows of hours.values()) {
        const begins_at = Math.floor(rows[0]!.begins_at / hourMs) * hourMs;
        await addToHour(trx, { ...rows[0]!, span: 'hour', begins_at, run: '', ...rowOf(sumOf(rows.map(sumIn))) });
      }
    });
    await deleteTrafficBefore(this.#db, now - hoursForMs);
  }
}
