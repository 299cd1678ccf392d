import { ForeignListenerError, type GuardedAddress, Listeners } from '../../../host/listeners.ts';
import type { EdgeLog } from '../log.ts';

const sayAgainMs = 10_000;

/** Checks who listens on the port of an app that another process could have taken, before the first byte of a request
 * is sent. */
export class PortGuard {
  readonly #listeners = new Listeners();
  readonly #log: EdgeLog;
  readonly #saidAt = new Map<string, number>();

  constructor(log: EdgeLog) {
    this.#log = log;
  }

  /** Resolves with a check for after connecting; rejects when another process has the port. */
  require(deploymentId: string, target: GuardedAddress): Promise<() => boolean> {
    return this.#listeners.require(target).catch((error: Error) => {
      if (error instanceof ForeignListenerError) this.#say(deploymentId, error);
      throw error;
    });
  }

  #say(deploymentId: string, { message }: Error): void {
    const now = Date.now();
    if (now - (this.#saidAt.get(deploymentId) ?? 0) < sayAgainMs) return;
    this.#saidAt.set(deploymentId, now);
    this.#log(`${deploymentId} gets no requests: ${message}`);
  }
}
