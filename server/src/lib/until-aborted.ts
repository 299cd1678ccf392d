/** What a task may take to end in order once it has to; builds take some seconds of that for themselves. */
const endingMs = 12_000;

/** The task, or the signal's reason when it does not end after that has come: an engine that hangs holds nobody. */
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
