/** Runs at most `limit` tasks concurrently; others wait in order. The signal ends the wait, not the task. */
export function limitConcurrency(limit: number): <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (task, signal) => {
    if (running >= limit) await turn(waiting, signal);
    else running++;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

type KeyLimits = { atOnce: number; waiting: number; refuse: () => Error };

/** Limits each key separately, so that one key's tasks do not delay another's. A bounded number of each key's tasks
 * wait; more are rejected. */
export function limitPerKey({ atOnce, waiting, refuse }: KeyLimits) {
  const keys = new Map<string, { limit: ReturnType<typeof limitConcurrency>; tasks: number }>();
  return async <T>(key: string, task: () => Promise<T>): Promise<T> => {
    const own = keys.get(key) ?? { limit: limitConcurrency(atOnce), tasks: 0 };
    if (own.tasks >= atOnce + waiting) throw refuse();
    keys.set(key, own);
    own.tasks++;
    try {
      return await own.limit(task);
    } finally {
      if (!--own.tasks) keys.delete(key);
    }
  };
}

/** Lets `most` callers go on in each turn of the event loop, so that a crowd leaves time for timers and for others. */
export function limitPerEventLoopTurn(most: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  let free = most;
  let isCounting = false;
  const nextTurn = () => {
    const next = waiting.splice(0, most);
    free = most - next.length;
    isCounting = next.length > 0;
    if (isCounting) setImmediate(nextTurn);
    for (const goOn of next) goOn();
  };
  return () => {
    if (!isCounting) setImmediate(nextTurn);
    isCounting = true;
    if (!free) return new Promise((resolve) => waiting.push(resolve));
    free--;
    return Promise.resolve();
  };
}

/** An aborted waiter leaves the queue without taking a slot. */
function turn(waiting: (() => void)[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      signal?.removeEventListener('abort', giveUp);
      resolve();
    };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(begin), 1);
      reject(signal!.reason as Error);
    };
    signal?.throwIfAborted();
    signal?.addEventListener('abort', giveUp, { once: true });
    waiting.push(begin);
  });
}

/** Runs tasks of the same key one after the other. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  take<T>(key: string, act: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(act, act);
    const over = () => this.#last.get(key) === turn && this.#last.delete(key);
    this.#last.set(key, turn);
    turn.then(over, over);
    return turn;
  }
}

/** Shares one read among all callers within `ageMs`. A failed read is repeated by the next caller. */
export function cachedFor<T>(read: () => Promise<T>, ageMs: number): () => Promise<T> {
  let last: { at: number; result: Promise<T> } | undefined;
  return () => {
    if (last && performance.now() - last.at < ageMs) return last.result;
    const made = { at: performance.now(), result: read() };
    last = made;
    made.result.catch(() => last === made && (last = undefined));
    return made.result;
  };
}
