import { AppError } from '../../../errors.ts';
import { newId } from '../../../lib/ids.ts';

// Each is a process and a repository on the disk, for as long as the other side likes.

/** Of one organization. */
const mostOfOne = 4;
const mostAtOnce = 8;
/** For those who look at nothing yet: however much others do, they get a place. */
const mostWithFirsts = 24;

/** Who looks at sources right now. Places are few, and nobody gets those of all others. */
export class InspectionSlots {
  readonly #kind: string;
  /** Whose they are, by the name of the work, which is that of its folder. */
  readonly #taken = new Map<string, string>();

  /** `kind` is what the names of the work begin with. */
  constructor(kind: string) {
    this.#kind = kind;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** A place for as long as `act` takes; 429 where there is none. */
  async taken<T>(organizationId: string, act: (name: string) => Promise<T>): Promise<T> {
    const own = [...this.#taken.values()].filter((each) => each === organizationId).length;
    const isFull = this.#taken.size >= (own ? mostAtOnce : mostWithFirsts);
    if (isFull || own >= mostOfOne)
      throw new AppError('rate_limited', 'too many sources are being read; try again in a moment', {
        retryAfterSeconds: 5,
      });
    const name = newId(this.#kind);
    this.#taken.set(name, organizationId);
    try {
      return await act(name);
    } finally {
      this.#taken.delete(name);
    }
  }
}
