import { createHash } from 'node:crypto';

/** A few characters that stand for these words and no others. */
export const shortHash = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);

/** What is left of a name where only letters and digits are welcome; a hash beside it makes it exact. */
export const readable = (name: string): string => name.replaceAll(/[^a-zA-Z0-9]+/g, '-').slice(0, 32);
