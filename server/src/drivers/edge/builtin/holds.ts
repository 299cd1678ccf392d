import type { ClientExchange } from './exchange.ts';

const mostWaiting = 2000;
/** Upper bound for every hold: the caller may have died, and clients do not wait forever. */
const longestMs = 30_000;

/** Requests that wait instead of being forwarded while their app restarts. */
export class Holds {
  readonly #ends = new Map<string, { timer: NodeJS.Timeout; at: number }>();
  readonly #waiting = new Set<() => void>();

  begin(deploymentId: string, withinMs: number): void {
    clearTimeout(this.#ends.get(deploymentId)?.timer);
    const ms = Math.min(withinMs, longestMs);
    const timer = setTimeout(() => this.end(deploymentId), ms);
    this.#ends.set(deploymentId, { timer, at: performance.now() + ms });
  }

  end(deploymentId: string): void {
    clearTimeout(this.#ends.get(deploymentId)?.timer);
    this.#ends.delete(deploymentId);
    this.lookAgain();
  }

  all(): string[] {
    return [...this.#ends.keys()];
  }

  /** Returns how many milliseconds each deployment stays on hold. */
  left(): [string, number][] {
    return [...this.#ends].map(([deploymentId, { at }]) => [deploymentId, Math.max(at - performance.now(), 0)]);
  }

  has(deploymentId: string): boolean {
    return this.#ends.has(deploymentId);
  }

  /** Makes all waiting requests look up their route again: a hold ended or a route changed. */
  lookAgain(): void {
    for (const goOn of this.#waiting) goOn();
  }

  /** Resolves when the route should be looked up again or the client is gone; false when too many requests wait. */
  async wait(client: ClientExchange['client']): Promise<boolean> {
    if (client.destroyed) return true;
    if (this.#waiting.size >= mostWaiting) return false;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        client.off('close', goOn);
        this.#waiting.delete(goOn);
        resolve();
      };
      client.once('close', goOn);
      this.#waiting.add(goOn);
    });
    return true;
  }
}
