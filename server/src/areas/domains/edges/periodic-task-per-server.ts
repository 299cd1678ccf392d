import { AppError } from '../../../errors.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import type { EdgeLocation } from './edge-location.ts';
import type { EdgeLocations } from './edge-locations.ts';

type Options = {
  places: EdgeLocations;
  log: Log;
  /** Activity, as named in the log. */
  what: string;
  everyMs: number;
  round: (place: EdgeLocation) => Promise<void>;
};

/** Between the rounds of two servers, so that those of many do not come at once. */
const spreadMs = 10;

type Known = { place: EdgeLocation; rounds: PeriodicTask; isLast: boolean };

/** Runs rounds for the edge of each server independently: an unreachable server does not delay the others. */
export class PeriodicTaskPerServer {
  readonly #options: Options;
  readonly #known = new Map<string, Known>();
  readonly #looks: PeriodicTask;

  constructor(options: Options) {
    this.#options = options;
    const { everyMs, what, log } = options;
    const warn = (message: string) => log.warn(`${what}, on servers: ${message}`);
    this.#looks = new PeriodicTask({ everyMs, warn, round: () => this.#find() });
  }

  start(): void {
    this.#looks.start();
  }

  /** Runs the next rounds now. */
  soon(): void {
    this.#looks.soon();
    for (const { rounds } of this.#known.values()) rounds.soon();
  }

  async stop(): Promise<void> {
    await this.#looks.stop();
    await Promise.all([...this.#known.values()].map(({ rounds }) => rounds.stop()));
  }

  async #find(): Promise<void> {
    const places = await this.#options.places.onServers();
    const current = new Set(places.map(({ serverId }) => serverId!));
    let delayMs = 0;
    for (const place of places) if (this.#lookAfter(place, delayMs)) delayMs += spreadMs;
    // A server without deployments gets one more successful round, which cleans it up.
    for (const [id, known] of this.#known) known.isLast = !current.has(id);
  }

  /** Returns whether the edge is new. */
  #lookAfter(place: EdgeLocation, delayMs: number): boolean {
    const known = this.#known.get(place.serverId!);
    if (known) known.place = place;
    if (known) return false;
    const { everyMs, what, log } = this.#options;
    const warn = (message: string) => log.warn(`${what}, on ${made.place.machine}: ${message}`);
    const rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round(made) });
    const made: Known = { place, isLast: false, rounds };
    this.#known.set(place.serverId!, made);
    rounds.start(delayMs);
    return true;
  }

  async #round(known: Known): Promise<void> {
    // A round that began before the server was marked as last does not count as its cleanup.
    const { isLast } = known;
    try {
      await this.#options.round(known.place);
    } catch (error) {
      // The server was removed, so nothing is left to clean up.
      if (!(isLast && error instanceof AppError && error.code === 'not_found')) throw error;
    }
    if (isLast && known.isLast) this.#leave(known);
  }

  #leave({ place, rounds }: Known): void {
    this.#known.delete(place.serverId!);
    // Not awaited, since this runs within a round of its own.
    void rounds.stop();
  }
}
