import type { StorageContext } from './storage.ts';

/** A context in which only what is said is there. */
export const contextOf = (more: Partial<StorageContext> = {}): StorageContext => ({
  reach: 'private',
  localRoot: undefined,
  hostKey: undefined,
  onHostKey: async () => {},
  serverOf: async () => undefined,
  ...more,
});
