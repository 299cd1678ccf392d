import { AppError } from '../../../errors.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import type { EdgeLocation } from './edge-location.ts';
import type { EdgeLocations } from './edge-locations.ts';

type Options = {
  places: EdgeLocations;
  log: Log;
  /** What is done there, as the log says it. */
  what: string;
  everyMs: number;
  round: (place: EdgeLocation) => Promise<void>;
};

type Known = { place: EdgeLocation; rounds: Rounds; isLast: boolean };

/** Does something with the edge of each server, each at its own pace: one that is away holds up none of the others. */
export class RoundsOfServers {
  readonly #options: Options;
  readonly #known = new Map<string, Known>();
  readonly #looks: Rounds;

  constructor(options: Options) {
    this.#options = options;
    const { everyMs, what, log } = options;
    const warn = (message: string) => log.warn(`${what}, on servers: ${message}`);
    this.#looks = new Rounds({ everyMs, warn, round: () => this.#find() });
  }

  start(): void {
    this.#looks.start();
  }

  /** Something has changed. */
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
    for (const place of places) this.#lookAfter(place);
    // What was left there is taken away by one more round that comes through.
    for (const [id, known] of this.#known) known.isLast = !current.has(id);
  }

  #lookAfter(place: EdgeLocation): void {
    const known = this.#known.get(place.serverId!);
    if (known) return void (known.place = place);
    const { everyMs, what, log } = this.#options;
    const warn = (message: string) => log.warn(`${what}, on ${made.place.machine}: ${message}`);
    const rounds = new Rounds({ everyMs, warn, round: () => this.#round(made) });
    const made: Known = { place, isLast: false, rounds };
    this.#known.set(place.serverId!, made);
    rounds.start();
  }

  async #round(known: Known): Promise<void> {
    // One that began before says nothing of what is left there by now.
    const { isLast } = known;
    try {
      await this.#options.round(known.place);
    } catch (error) {
      // A server that was removed takes with it what was there.
      if (!(isLast && error instanceof AppError && error.code === 'not_found')) throw error;
    }
    if (isLast && known.isLast) this.#leave(known);
  }

  #leave({ place, rounds }: Known): void {
    this.#known.delete(place.serverId!);
    // It is within a round of its own, which is not waited for.
    void rounds.stop();
  }
}
