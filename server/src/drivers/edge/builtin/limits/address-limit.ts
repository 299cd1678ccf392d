import { addressGroup } from '../../../../lib/addresses.ts';

/** Many people may share one address; more connections than this point to abuse. */
export const usualPerAddress = 1000;

/** Counts what each client address has open. */
export class AddressLimit {
  readonly #open = new Map<string, number>();

  /** Counts one more and returns the function that ends it; null when the address has `most` already. */
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
