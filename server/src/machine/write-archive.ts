import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { folderEntries } from '../lib/archive/folder-entries.ts';
import { packEntries } from '../lib/archive/pack.ts';
import type { WrittenEntry } from '../lib/archive/writer.ts';
import { type Manifest, manifestName, PartSums, type Sums, sumsName } from './manifest.ts';

/** A file or a folder of the backup. A missing folder is left out. */
export type Source = {
  path: string;
  inArchive: string;
  isFolder: boolean;
  isLeftOut?: (path: string) => boolean;
};

type Written = {
  manifest: Manifest;
  sources: Source[];
  recipient: Buffer;
  onSkipped: (path: string, why: string) => void;
};

/** Writes `tar | zstd | age` to a new file in flat memory, and flushes it to the disk. Returns the sums of its parts. */
export async function writeArchive(file: string, { manifest, sources, recipient, onSkipped }: Written): Promise<Sums> {
  let sums: Sums | undefined;
  await pipeline(
    packEntries(all(), [recipient]),
    createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: 1_048_576 }),
  );
  await syncFile(file);
  return sums!;

  async function* all(): AsyncGenerator<WrittenEntry> {
    const counted = new PartSums();
    yield textEntry(manifestName, `${JSON.stringify(manifest, null, 2)}\n`);
    for (const source of sources)
      for await (const entry of source.isFolder
        ? folderEntries(source.path, source.inArchive, { isLeftOut: source.isLeftOut ?? (() => false), onSkipped })
        : [await fileEntry(source)])
        yield summed(entry, counted);
    sums = counted.sums();
    yield textEntry(sumsName, `${JSON.stringify(sums, null, 2)}\n`);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

function summed(entry: WrittenEntry, sums: PartSums): WrittenEntry {
  sums.add(entry);
  return {
    ...entry,
    async *content() {
      for await (const chunk of entry.content()) {
        sums.content(entry.path, chunk);
        yield chunk;
      }
    },
  };
}

async function fileEntry({ path, inArchive }: Source): Promise<WrittenEntry> {
  const { size, mode, mtimeMs, uid, gid } = await stat(path);
  const content = () => createReadStream(path, { highWaterMark: 262_144 }) as AsyncIterable<Buffer>;
  const facts = { path: inArchive, type: 'file' as const, mode: mode & 0o7777, size, modifiedMs: mtimeMs, target: '' };
  return { ...facts, owner: { uid, gid }, content };
}

function textEntry(path: string, text: string): WrittenEntry {
  const bytes = Buffer.from(text);
  const facts = { path, type: 'file' as const, mode: 0o600, size: bytes.length, modifiedMs: Date.now(), target: '' };
  return {
    ...facts,
    content: async function* () {
      yield bytes;
    },
  };
}
