import { basename } from 'node:path';
import { BackupError, type FoundSource, type BackupSources } from './source.ts';

/** Writes an encrypted backup of the instance into the folder, and returns its path. */
export type MakeInstanceBackup = (folder: string, signal: AbortSignal) => Promise<string>;

const source: FoundSource = {
  ref: { type: 'files', service: 'instance', path: '/' },
  name: 'instance',
  reason: 'everything that Mooring needs on a new machine',
  isDefault: true,
};

const unsupported = () =>
  new BackupError(
    'not_restored_here',
    'a backup of the instance is restored on a machine, not by the running instance',
    'Download it, unpack it, and run mooring restore instance on the new machine.',
  );

/** The instance itself as a source: one file, which has its own encryption and key. */
export const instanceSources = (makeBackup: MakeInstanceBackup): BackupSources => ({
  find: async () => [source],
  resolve: async () => [source],
  async read(_owner, _ref, { folder, signal }, pack) {
    const file = await makeBackup(folder, signal);
    await pack((content) => content.file(file, { path: basename(file) }));
  },
  restore: () => Promise.reject(unsupported()),
  removeScratch: async () => {},
  recover: async () => {},
  untilServing: async () => [],
  runHook: () => Promise.reject(unsupported()),
});
