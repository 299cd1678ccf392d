/** One request or upgraded connection, from its begin to its end. */
export interface UnderWay {
  over(): void;
  /** It goes on for as long as both sides like: it does not come to an end by being waited for. */
  lasts(): void;
}

type Counts = { all: number; lasting: number };
const none: Counts = { all: 0, lasting: 0 };

/** Counts what is under way for each deployment: requests and upgraded connections. */
export class InFlight {
  readonly #counts = new Map<string, Counts>();
  readonly #waiting = new Set<() => void>();

  /** Counts one more, until it is over. */
  begin(deploymentId: string): UnderWay {
    this.#change(deploymentId, { all: 1, lasting: 0 });
    let isOver = false;
    let lasting = 0;
    return {
      over: () => {
        if (isOver) return;
        isOver = true;
        this.#change(deploymentId, { all: -1, lasting: -lasting });
      },
      lasts: () => {
        if (isOver || lasting) return;
        lasting = 1;
        this.#change(deploymentId, { all: 0, lasting });
      },
    };
  }

  total(): number {
    return this.#counts.values().reduce((sum, { all }) => sum + all, 0);
  }

  /** Waits until nothing of the deployment is under way; gives how many are when the time is over. */
  drained(deploymentId: string, withinMs: number): Promise<number> {
    return this.#until(() => this.#of(deploymentId).all, withinMs);
  }

  /** As `drained`, without those that last. */
  answered(deploymentId: string, withinMs: number): Promise<number> {
    return this.#until(() => this.#of(deploymentId).all - this.#of(deploymentId).lasting, withinMs);
  }

  allDrained(withinMs: number): Promise<number> {
    return this.#until(() => this.total(), withinMs);
  }

  #of(deploymentId: string): Counts {
    return this.#counts.get(deploymentId) ?? none;
  }

  #change(deploymentId: string, by: Counts): void {
    const { all, lasting } = this.#of(deploymentId);
    if (all + by.all) this.#counts.set(deploymentId, { all: all + by.all, lasting: lasting + by.lasting });
    else this.#counts.delete(deploymentId);
    for (const look of this.#waiting) look();
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
