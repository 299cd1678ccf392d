import { AppError } from '../../../errors.ts';
import { newId } from '../../../lib/ids.ts';

// Each inspection is a process and a repository on disk, for as long as the remote host takes.

/** Per organization. */
const mostOfOne = 4;
const mostAtOnce = 8;
/** Limit for an organization's first inspection, so that others cannot starve it. */
const mostWithFirsts = 24;

/** Limits concurrent inspections of sources, in total and per organization. */
export class InspectionSlots {
  readonly #kind: string;
  /** Organization by inspection name, which is also the name of its folder. */
  readonly #taken = new Map<string, string>();

  /** `kind` is the prefix of the names. */
  constructor(kind: string) {
    this.#kind = kind;
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  /** Holds a slot while `act` runs; 429 if none is free. */
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
