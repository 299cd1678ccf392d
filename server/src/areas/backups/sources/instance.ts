import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { BackupError, type FoundSource, type Sources } from './source.ts';

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
export const instanceSources = (makeBackup: MakeInstanceBackup): Sources => ({
  find: async () => [source],
  resolve: async () => [source],
  async read(_owner, _ref, { folder, signal }) {
    const file = await makeBackup(folder, signal);
    const { size, mtimeMs } = await stat(file);
    async function* entries() {
      const facts = { type: 'file' as const, mode: 0o600, modifiedMs: mtimeMs, target: '' };
      yield { ...facts, path: basename(file), size, content: () => createReadStream(file) as AsyncIterable<Buffer> };
    }
    return { entries: entries(), bytesTotal: size, check: async () => {}, close: async () => {} };
  },
  restore: () => Promise.reject(unsupported()),
  removeScratch: async () => {},
  recover: async () => {},
  runHook: () => Promise.reject(unsupported()),
});
