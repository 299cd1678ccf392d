import { isDeepStrictEqual } from 'node:util';
import type { Readable } from 'node:stream';
import type { z } from '../lib/zod/index.ts';
import type { AgeIdentity } from '../lib/archive/age-keys.ts';
import { unpackEntries } from '../lib/archive/unpack.ts';
import { ArchiveError, type ArchiveEntry } from '../lib/archive/reader.ts';
import { PartSums } from '../lib/archive/part-sums.ts';
import { Manifest, manifestName, backupPartOf, Sums, sumsName } from './manifest.ts';

/** Receives the entries of an archive. The content of files must be read to its end. */
export interface EntrySink {
  /** Throws to refuse the archive. */
  begin(manifest: Manifest): Promise<void>;
  entry(entry: ArchiveEntry, content: () => AsyncIterable<Buffer>): Promise<void>;
}

/** Reads an archive to its end and checks every byte of it. Throws an ArchiveError for a wrong key or any damage. */
export async function readArchive(
  source: Readable,
  identity: AgeIdentity,
  sink: EntrySink = nowhere,
): Promise<{ manifest: Manifest; sums: Sums }> {
  return readEntries(unpackEntries(source, [identity]), sink);
}

const nowhere: EntrySink = {
  begin: async () => {},
  entry: async (_entry, content) => {
    for await (const _chunk of content());
  },
};

async function readEntries(
  entries: AsyncIterable<ArchiveEntry>,
  sink: EntrySink,
): Promise<{ manifest: Manifest; sums: Sums }> {
  const counted = new PartSums();
  let manifest: Manifest | undefined;
  let sums: Sums | undefined;
  for await (const entry of entries) {
    if (sums) throw new ArchiveError('the archive continues after its last entry');
    if (!manifest) {
      if (entry.path !== manifestName) throw new ArchiveError('this is not an instance backup: it has no manifest');
      manifest = await json(entry, Manifest);
      await sink.begin(manifest);
    } else if (entry.path === sumsName) sums = await json(entry, Sums);
    else {
      counted.add(backupPartOf(entry.path), entry);
      await sink.entry(entry, () => counting(entry, counted));
    }
  }
  if (!manifest || !sums) throw new ArchiveError('the archive is cut off');
  if (!isDeepStrictEqual(counted.sums(), sums.parts))
    throw new ArchiveError('the archive is damaged: its content does not match its checksums');
  return { manifest, sums };
}

async function* counting(entry: ArchiveEntry, counted: PartSums): AsyncGenerator<Buffer> {
  for await (const chunk of entry.body()) {
    counted.content(backupPartOf(entry.path), chunk);
    yield chunk;
  }
}

const mostJsonBytes = 1_048_576;

async function json<T>(entry: ArchiveEntry, schema: z.ZodType<T>): Promise<T> {
  const chunks: Buffer[] = [];
  if (entry.size > mostJsonBytes) throw new ArchiveError(`${entry.path} of the archive is too large`);
  for await (const chunk of entry.body()) chunks.push(chunk);
  const result = schema.safeParse(JSON.parse(Buffer.concat(chunks).toString()));
  if (!result.success) throw new ArchiveError(`${entry.path} of the archive is not as expected`, result.error);
  return result.data;
}
