import { BuildRefusedError } from '../../../drivers/images/errors.ts';
import type { RunOptions } from '../../../drivers/images/images.ts';
import type { Worker } from './worker-store.ts';

/** After that the deployment says which workers it waits for. */
const busyMs = 5_000;
/** How long a build waits for workers that build others. */
const longestWaitMs = 60 * 60_000;

/** Stops the time limit of a build until the returned function is called: waiting does not count. */
export type PauseDeadline = () => () => void;

/** The time in which no worker has a build. */
export class WorkerWait {
  readonly #pause: PauseDeadline;
  #since = 0;
  #isTold = false;
  #resume: (() => void) | undefined;

  constructor(pause: PauseDeadline) {
    this.#pause = pause;
  }

  begin(): void {
    if (this.#resume) return;
    this.#since = Date.now();
    this.#resume = this.#pause();
  }

  end(): void {
    this.#resume?.();
    this.#resume = undefined;
    this.#isTold = false;
  }

  /** Says for which workers it waits, and fails when it has waited too long. */
  check(workers: readonly Worker[], onLine: RunOptions['onLine']): void {
    const waitedMs = Date.now() - this.#since;
    const names = workers.map(({ name }) => name).join(', ');
    if (waitedMs > longestWaitMs)
      throw new BuildRefusedError(
        `no build worker was free for ${longestWaitMs / 60_000} minutes (connected: ${names}); start another one with mooring worker`,
      );
    if (waitedMs < busyMs || this.#isTold) return;
    onLine(`Waiting for a build worker that is free: ${names}`, 'stdout');
    this.#isTold = true;
  }
}
