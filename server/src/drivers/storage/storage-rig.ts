import type { StorageContext } from './storage.ts';

/** A context with only the given parts. */
export const testStorageContext = (more: Partial<StorageContext> = {}): StorageContext => ({
  reach: 'private',
  localRoot: undefined,
  hostKey: undefined,
  onHostKey: async () => {},
  serverOf: async () => undefined,
  ...more,
});
