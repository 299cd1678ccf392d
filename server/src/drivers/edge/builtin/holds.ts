import type { ClientExchange } from './exchange.ts';

const mostWaiting = 2000;
/** Whatever was asked for: whoever asked may be dead, and a client does not wait for ever. */
const longestMs = 30_000;

/** Requests that wait instead of being passed on, while their app is started again. */
export class Holds {
  readonly #ends = new Map<string, NodeJS.Timeout>();
  readonly #waiting = new Set<() => void>();

  begin(deploymentId: string, withinMs: number): void {
    clearTimeout(this.#ends.get(deploymentId));
    const end = setTimeout(() => this.end(deploymentId), Math.min(withinMs, longestMs));
    this.#ends.set(deploymentId, end);
  }

  end(deploymentId: string): void {
    clearTimeout(this.#ends.get(deploymentId));
    this.#ends.delete(deploymentId);
    this.lookAgain();
  }

  all(): string[] {
    return [...this.#ends.keys()];
  }

  has(deploymentId: string): boolean {
    return this.#ends.has(deploymentId);
  }

  /** Everybody who waits looks up where to go: a hold is over, or a route leads elsewhere. */
  lookAgain(): void {
    for (const goOn of this.#waiting) goOn();
  }

  /** Returns when it is time to look again, or the client is gone. False when too many wait already. */
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
