/** Runs at most `limit` of the given tasks at once; the others wait in order. A signal ends the wait, not the task. */
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

/** The same for each key by itself, so that the tasks of one hold up nobody else's. Of each key only so many wait; the next
 * one is refused. */
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

/** Whoever gives up leaves the queue, and takes nobody's turn. */
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
