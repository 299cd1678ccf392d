import { type Db, inTransaction } from '../../../db/database.ts';
import type { TrafficTable } from '../../../db/tables.ts';
import type { EdgeTraffic } from '../../../drivers/edge/edge.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import type { EdgeLocations } from '../edges/edge-locations.ts';
import { PeriodicTaskPerServer } from '../edges/periodic-task-per-server.ts';
import { totalTraffic } from './histogram.ts';
import { validatedTraffic } from './validated-traffic.ts';
import {
  addToHour,
  deleteTrafficBefore,
  trafficRow,
  selectKeysOn,
  selectProjectOwners,
  trafficSumIn,
  claimMinutesBefore,
  upsertMinutes,
} from './store.ts';

const everyMs = 15_000;
const tidyEveryMs = 300_000;
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Minutes are kept for a day, hours for a month. */
const minutesForMs = 24 * hourMs;
const hoursForMs = 31 * 24 * hourMs;
/** The edge keeps an hour. */
const edgeKeepsMinutes = 60;

type Options = { db: Db; places: EdgeLocations; log: Log };

/** Collects the counters of the edges a few times per minute, so that requests cost no database writes. */
export class TrafficCollector {
  readonly #db: Db;
  readonly #places: EdgeLocations;
  readonly #rounds: PeriodicTask;
  readonly #servers: PeriodicTaskPerServer;
  /** First minute to fetch from each edge. */
  readonly #since = new Map<string | null, number>();
  #tidyAt = 0;

  constructor({ db, places, log }: Options) {
    this.#db = db;
    this.#places = places;
    const what = 'counting requests';
    const warn = (message: string) => log.warn(`${what}: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
    const round = (place: EdgeLocation) => this.collect(Date.now(), place);
    this.#servers = new PeriodicTaskPerServer({ places, log, what, everyMs, round });
  }

  start(): void {
    this.#rounds.start();
    this.#servers.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#rounds.stop(), this.#servers.stop()]);
  }

  async #round(): Promise<void> {
    await this.collect();
    if (Date.now() < this.#tidyAt) return;
    this.#tidyAt = Date.now() + tidyEveryMs;
    await this.tidy();
  }

  async collect(now = Date.now(), place = this.#places.here): Promise<void> {
    const { serverId } = place;
    const minute = Math.floor(now / minuteMs);
    const since = Math.max(this.#since.get(serverId) ?? 0, minute - edgeKeepsMinutes);
    const said = await (await place.edge()).traffic(since);
    // The server's clock may be slightly ahead.
    const counted = serverId === null ? said : validatedTraffic(said, { from: since, to: minute + 1 });
    await upsertMinutes(this.#db, await this.#rowsOf(counted, serverId));
    // Requests that were in flight may still count towards the previous minute.
    this.#since.set(serverId, minute - 1);
  }

  async #rowsOf({ run, minutes }: EdgeTraffic, serverId: string | null): Promise<TrafficTable[]> {
    const ids = [...new Set(minutes.map(({ key }) => key.split('/')[0]!))];
    if (!ids.length) return [];
    const owners = await selectProjectOwners(this.#db, ids, serverId);
    const known = serverId === null ? undefined : await selectKeysOn(this.#db, serverId, ids);
    return minutes.flatMap(({ key, minute, run: ofMinute = run, ...counts }): TrafficTable[] => {
      const [projectId = '', environment = ''] = key.split('/');
      const organizationId = owners.get(projectId);
      if (!organizationId || (known && !known.has(key))) return [];
      const of = {
        organizationId,
        projectId,
        environment,
        span: 'minute' as const,
        beginsAt: minute * minuteMs,
        run: ofMinute,
      };
      return [{ ...of, ...trafficRow(counts) }];
    });
  }

  /** Aggregates minutes older than a day to hours, and deletes hours older than a month. */
  async tidy(now = Date.now()): Promise<void> {
    const before = Math.floor((now - minutesForMs) / hourMs) * hourMs;
    await inTransaction(this.#db, async (trx) => {
      const minutes = await claimMinutesBefore(trx, before);
      const hours = Map.groupBy(minutes, (row) =>
        JSON.stringify([row.projectId, row.environment, Math.floor(row.beginsAt / hourMs)]),
      );
      for (const rows of hours.values()) {
        const beginsAt = Math.floor(rows[0]!.beginsAt / hourMs) * hourMs;
        await addToHour(trx, {
          ...rows[0]!,
          span: 'hour',
          beginsAt,
          run: '',
          ...trafficRow(totalTraffic(rows.map(trafficSumIn))),
        });
      }
    });
    await deleteTrafficBefore(this.#db, now - hoursForMs);
  }
}
