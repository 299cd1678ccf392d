import type { StorageContext } from './storage.ts';

/** A context with only the given parts. */
export const contextOf = (more: Partial<StorageContext> = {}): StorageContext => ({
  reach: 'private',
  localRoot: undefined,
  hostKey: undefined,
  onHostKey: async () => {},
  serverOf: async () => undefined,
  ...more,
});
