/** One request or upgraded connection in flight. */
export interface InFlightRequest {
  over(): void;
  /** Marks it as open-ended (a WebSocket, an event stream), so that `answered` does not wait for it. */
  lasts(): void;
}

type Counts = { all: number; lasting: number };

/** Counts the requests and upgraded connections in flight of each deployment. */
export class InFlight {
  readonly #counts = new Map<string, Counts>();
  readonly #waiting = new Set<() => void>();

  begin(deploymentId: string): InFlightRequest {
    let counts = this.#counts.get(deploymentId);
    if (!counts) this.#counts.set(deploymentId, (counts = { all: 0, lasting: 0 }));
    return new One(counts, () => {
      if (!counts.all) this.#counts.delete(deploymentId);
      for (const look of this.#waiting) look();
    });
  }

  count(deploymentId: string): number {
    return this.#of(deploymentId).all;
  }

  total(): number {
    return this.#counts.values().reduce((sum, { all }) => sum + all, 0);
  }

  /** Waits until the deployment has nothing in flight; returns the number left after `withinMs`. */
  drained(deploymentId: string, withinMs: number): Promise<number> {
    return this.#until(() => this.#of(deploymentId).all, withinMs);
  }

  /** Like `drained`, ignoring open-ended ones. */
  answered(deploymentId: string, withinMs: number): Promise<number> {
    return this.#until(() => this.#of(deploymentId).all - this.#of(deploymentId).lasting, withinMs);
  }

  allDrained(withinMs: number): Promise<number> {
    return this.#until(() => this.total(), withinMs);
  }

  #of(deploymentId: string): Counts {
    return this.#counts.get(deploymentId) ?? { all: 0, lasting: 0 };
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

class One implements InFlightRequest {
  readonly #counts: Counts;
  readonly #onChange: () => void;
  #isOver = false;
  #lasting = 0;

  constructor(counts: Counts, onChange: () => void) {
    this.#counts = counts;
    this.#onChange = onChange;
    counts.all++;
  }

  over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#counts.all--;
    this.#counts.lasting -= this.#lasting;
    this.#onChange();
  }

  lasts(): void {
    if (this.#isOver || this.#lasting) return;
    this.#lasting = 1;
    this.#counts.lasting++;
    this.#onChange();
  }
}
