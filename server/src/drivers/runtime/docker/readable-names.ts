import { createHash } from 'node:crypto';

/** Short hash of these parts. */
export const shortHash = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);

/** Reduces a name to letters, digits and hyphens; callers add a hash to make it unique. */
export const readableName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9]+/g, '-').slice(0, 32);
