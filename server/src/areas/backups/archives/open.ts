import { createHash } from 'node:crypto';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { ArchiveError, type ArchiveEntry } from '../../../lib/archive/reader.ts';
import { unpackEntries } from '../../../lib/archive/unpack.ts';
import type { BackupKeys } from '../keys/service.ts';
import type { JobArchive } from '../jobs/store.ts';
import type { ArchiveStores } from './archive-stores.ts';
import { type ArchiveFacts, readFacts } from './format.ts';

type Deps = { stores: ArchiveStores; keys: BackupKeys };
/** An archive of an organization. */
export type StoredArchive = { organizationId: string; archive: JobArchive };
type Options = { signal: AbortSignal; onBytes?: (bytes: number) => void };
type Opened = { facts: ArchiveFacts; content: AsyncGenerator<ArchiveEntry, void, undefined> };

/**
 * Opens a stored archive for a task. The archive is read to its end and compared with its recorded sum, also if the
 * task reads only a part; damage is an error even if the task has succeeded.
 */
export function withArchive<T>(
  { stores, keys }: Deps,
  { organizationId, archive }: StoredArchive,
  { signal, onBytes = () => {} }: Options,
  task: (opened: Opened) => Promise<T>,
): Promise<T> {
  return stores.use(organizationId, archive.destinationId, async (storage) => {
    const hash = createHash('sha256');
    const source = await storage.get(archive.key, { signal });
    const counted = new PassThrough({
      highWaterMark: 1_048_576,
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        onBytes(chunk.length);
        done(null, chunk);
      },
    });
    pipeline(source, counted, () => {});
    const entries = unpackEntries(counted, archive.encrypted ? await keys.identities(organizationId) : null);
    try {
      const { facts, content } = await readFacts(entries);
      const result = await task({ facts, content });
      for await (const _entry of content);
      await ended(counted);
      if (hash.digest('hex') !== archive.sha256)
        throw new ArchiveError('the archive is damaged: its checksum has changed');
      return result;
    } finally {
      source.destroy();
      counted.destroy();
    }
  });
}

/** Reads what follows the last entry. */
async function ended(stream: Readable): Promise<void> {
  if (!stream.readableEnded && !stream.destroyed) for await (const _chunk of stream);
}

/** Reads an archive to its end and throws for any damage. */
export const verifyArchive = (deps: Deps, stored: StoredArchive, options: Options): Promise<void> =>
  withArchive(deps, stored, options, async ({ content }) => {
    for await (const _entry of content);
  });
