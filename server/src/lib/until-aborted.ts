/** Time for an aborted task to end in order; builds take some seconds of it. */
const endingMs = 12_000;

/** Returns the task's result, or rejects with the signal's reason when the task does not end after an abort: a
 * hanging engine blocks nobody. */
export function untilAborted<T>(task: Promise<T>, signal: AbortSignal): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp = () => {};
  const overdue = new Promise<never>((_, reject) => {
    giveUp = () => (timer = setTimeout(() => reject(signal.reason as Error), endingMs));
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  });
  return Promise.race([task, overdue]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}
