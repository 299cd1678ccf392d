import { AppError } from '../errors.ts';

type Bucket = { tokens: number; at: number };

const mostBuckets = 20_000;

/** Token bucket per key with `perMinute` tokens. In memory: the limit applies per replica. */
export class RateLimit {
  readonly #perMinute: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** Counts one request of `key`, or throws with the seconds to wait. */
  take(key: string, now = performance.now()): void {
    const bucket = this.#filled(key, now);
    if (bucket) bucket.tokens -= 1;
  }

  /** Throws like `take`, but counts nothing. */
  check(key: string, now = performance.now()): void {
    if (this.#buckets.has(key)) this.#filled(key, now);
  }

  #filled(key: string, now: number): Bucket | undefined {
    if (!this.#perMinute) return undefined;
    const bucket = this.#buckets.get(key) ?? this.#add(key, now);
    bucket.tokens = Math.min(this.#perMinute, bucket.tokens + ((now - bucket.at) * this.#perMinute) / 60_000);
    bucket.at = now;
    if (bucket.tokens < 1) throw tooManyRequests((60 * (1 - bucket.tokens)) / this.#perMinute);
    return bucket;
  }

  #add(key: string, now: number): Bucket {
    if (this.#buckets.size >= mostBuckets) this.#dropIdle(now);
    const bucket = { tokens: this.#perMinute, at: now };
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** A bucket unused for a minute is full again, so dropping it changes nothing. */
  #dropIdle(now: number) {
    for (const [key, { at }] of this.#buckets) if (now - at > 60_000) this.#buckets.delete(key);
    if (this.#buckets.size >= mostBuckets) this.#buckets.clear();
  }
}

export function tooManyRequests(seconds: number): AppError {
  const wait = Math.max(1, Math.ceil(seconds));
  const inWords = wait > 120 ? `${Math.ceil(wait / 60)} minutes` : `${wait} ${wait === 1 ? 'second' : 'seconds'}`;
  return new AppError('rate_limited', `too many requests; try again in ${inWords}`, { retryAfterSeconds: wait });
}
