/** Counts what is under way for each deployment: requests and upgraded connections. */
export class InFlight {
  readonly #counts = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  /** Counts one more, until the function that it gives is called. */
  begin(deploymentId: string): () => void {
    this.#counts.set(deploymentId, this.count(deploymentId) + 1);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const left = this.count(deploymentId) - 1;
      if (left) this.#counts.set(deploymentId, left);
      else this.#counts.delete(deploymentId);
      for (const look of this.#waiting) look();
    };
  }

  count(deploymentId: string): number {
    return this.#counts.get(deploymentId) ?? 0;
  }

  total(): number {
    return this.#counts.values().reduce((sum, each) => sum + each, 0);
  }

  /** Waits until nothing of the deployment is under way; gives how many are when the time is over. */
  drained(deploymentId: string, withinMs: number): Promise<number> {
    return this.#until(() => this.count(deploymentId), withinMs);
  }

  allDrained(withinMs: number): Promise<number> {
    return this.#until(() => this.total(), withinMs);
  }

  #until(left: () => number, withinMs: number): Promise<number> {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(left());
      };
      const look = () => {
        if (!left()) finish();
      };
      const timer = setTimeout(finish, withinMs);
      this.#waiting.add(look);
      look();
    });
  }
}
