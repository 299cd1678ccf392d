import { randomUUID } from 'node:crypto';
import { latencyBounds, type TrafficMinute } from '../edge.ts';

const keptMinutes = 60;
/** For all projects and minutes together, about 5 MB. The oldest minutes are dropped first. */
const mostEntries = 10_000;
const minuteMs = 60_000;

/** Counts the requests of each project per minute, by the time of the response. */
export class TrafficCounts {
  readonly #minutes = new Map<number, Map<string, TrafficMinute>>();
  #entries = 0;
  /** Counts since the hand-over to a successor. */
  #news: TrafficCounts | null = null;

  /** Identifies one series of counts that started at zero; a successor continues it. */
  readonly run: string;

  constructor(run: string = randomUUID()) {
    this.run = run;
  }

  request(key: string, status: number, ms: number): void {
    const entry = this.#entry(key, Math.floor(Date.now() / minuteMs));
    if (!entry) return;
    entry.requests++;
    entry.statuses[classOf(status)]!++;
    entry.latency[placeOf(ms)]!++;
    this.#news?.request(key, status, ms);
  }

  bytes(key: string, bytesIn: number, bytesOut: number): void {
    const entry = this.#entry(key, Math.floor(Date.now() / minuteMs));
    if (!entry) return;
    entry.bytesIn += bytesIn;
    entry.bytesOut += bytesOut;
    this.#news?.bytes(key, bytesIn, bytesOut);
  }

  since(minute: number): TrafficMinute[] {
    const first = Math.max(minute, Math.floor(Date.now() / minuteMs) - keptMinutes + 1);
    return [...this.#minutes].filter(([each]) => each >= first).flatMap(([, entries]) => [...entries.values()]);
  }

  /** Adds the counts of another edge. */
  add(minutes: readonly TrafficMinute[]): void {
    for (const more of minutes) {
      const entry = this.#entry(more.key, more.minute);
      if (!entry) continue;
      entry.requests += more.requests;
      entry.bytesIn += more.bytesIn;
      entry.bytesOut += more.bytesOut;
      more.statuses.forEach((count, i) => (entry.statuses[i]! += count));
      more.latency.forEach((count, i) => (entry.latency[i]! += count));
    }
    this.#news?.add(minutes);
  }

  /** Returns all counts so far for a successor and collects later ones separately. */
  beginNews(): TrafficMinute[] {
    this.#news = new TrafficCounts(this.run);
    return this.since(0);
  }

  /** Stops collecting for a successor that failed to start. */
  forgetNews(): void {
    this.#news = null;
  }

  /** Returns the counts since the last call, each of them once. */
  takeNews(): TrafficMinute[] {
    const news = this.#news?.since(0) ?? [];
    if (this.#news) this.#news = new TrafficCounts(this.run);
    return news;
  }

  #entry(key: string, minute: number): TrafficMinute | undefined {
    let entries = this.#minutes.get(minute);
    if (!entries) {
      this.#minutes.set(minute, (entries = new Map()));
      this.#dropBefore(minute - keptMinutes + 1);
    }
    const known = entries.get(key);
    if (known) return known;
    while (this.#entries >= mostEntries && this.#dropOldest(minute));
    if (this.#entries >= mostEntries) return undefined;
    const entry: TrafficMinute = {
      key,
      minute,
      requests: 0,
      statuses: [0, 0, 0, 0, 0],
      bytesIn: 0,
      bytesOut: 0,
      latency: Array.from({ length: latencyBounds.length + 1 }, () => 0),
    };
    entries.set(key, entry);
    this.#entries++;
    return entry;
  }

  #dropBefore(minute: number): void {
    for (const each of this.#minutes.keys()) if (each < minute) this.#drop(each);
  }

  #dropOldest(current: number): boolean {
    const oldest = Math.min(...this.#minutes.keys());
    if (oldest >= current) return false;
    this.#drop(oldest);
    return true;
  }

  #drop(minute: number): void {
    this.#entries -= this.#minutes.get(minute)!.size;
    this.#minutes.delete(minute);
  }
}

const classOf = (status: number): number => Math.min(Math.max(Math.floor(status / 100), 1), 5) - 1;

/** Returns the index of the first bound that `ms` does not exceed. The bounds are rounded powers of √2, so the
 * logarithm may be off by one. */
function placeOf(ms: number): number {
  const place = Math.min(Math.max(Math.ceil(2 * Math.log2(ms)), 0), latencyBounds.length);
  if (place < latencyBounds.length && ms > latencyBounds[place]!) return place + 1;
  return place > 0 && ms <= latencyBounds[place - 1]! ? place - 1 : place;
}
