import { addressGroup } from '../../../../lib/addresses.ts';

/** Many people may share one address; more than this is somebody who wants all of the edge. */
export const usualPerAddress = 1000;

/** What one client address has open at once. */
export class AddressLimit {
  readonly #open = new Map<string, number>();

  /** Counts one more, and gives what ends it; null when the address has `most` already. */
  enter(address: string, most: number): (() => void) | null {
    const key = addressGroup(address);
    const open = this.#open.get(key) ?? 0;
    if (most && open >= most) return null;
    this.#open.set(key, open + 1);
    return () => {
      const left = this.#open.get(key)! - 1;
      if (left) this.#open.set(key, left);
      else this.#open.delete(key);
    };
  }
}
