import { copyFile, mkdir, open, readdir, rm, symlink } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { ArchiveError, type ArchiveEntry, readTar } from './reader.ts';
import { ArchiveTree, isSkipped, safeNames } from './tree.ts';

export { ArchiveError } from './reader.ts';

export interface ArchiveLimits {
  entries: number;
  /** Size of the whole archive when uncompressed. */
  bytes: number;
  /** Maximum compression ratio, once the content is larger than `ratioFrom`. */
  ratio: number;
  ratioFrom: number;
}

export const archiveLimits: ArchiveLimits = { entries: 100_000, bytes: 2 ** 30, ratio: 200, ratioFrom: 2 ** 26 };

export type ArchiveSummary = { files: number; bytes: number };

/** Receives the content; checking an archive is unpacking it to nowhere. */
interface Sink {
  folder(path: string): Promise<void>;
  file(path: string, entry: ArchiveEntry, again: boolean): Promise<void>;
  copy(from: string, to: string, again: boolean): Promise<void>;
  link(path: string, target: string): Promise<void>;
}

/** Reads a gzipped tar to its end and throws what unpacking it would throw. */
export const checkArchive = (source: Readable, limits: ArchiveLimits = archiveLimits): Promise<ArchiveSummary> =>
  unpack(source, nowhere, limits);

/** Unpacks a gzipped tar into a new or empty folder. Empties the folder again on failure. */
export const extractArchive = (
  source: Readable,
  folder: string,
  limits: ArchiveLimits = archiveLimits,
): Promise<ArchiveSummary> => intoEmptyFolder(folder, (sink) => unpack(source, sink, limits));

async function intoEmptyFolder(folder: string, fill: (sink: Sink) => Promise<ArchiveSummary>): Promise<ArchiveSummary> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length) throw new Error(`${folder} is not empty`);
  try {
    return await fill(intoFolder(folder));
  } catch (error) {
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw asArchiveError(error);
  }
}

/** Unpacks an uncompressed tar, as an engine returns it, into a new or empty folder. */
export const extractTar = (
  source: Readable,
  folder: string,
  limits: Pick<ArchiveLimits, 'entries' | 'bytes'>,
): Promise<ArchiveSummary> =>
  intoEmptyFolder(folder, async (sink) => {
    const whole = { ...archiveLimits, ...limits };
    try {
      return await unpackTar(
        within(source, whole, () => Number.POSITIVE_INFINITY),
        sink,
        whole,
      );
    } finally {
      source.destroy();
    }
  });

async function unpack(source: Readable, sink: Sink, limits: ArchiveLimits): Promise<ArchiveSummary> {
  const gunzip = createGunzip({ chunkSize: 65_536 });
  let summary: ArchiveSummary | undefined;
  try {
    await pipeline(source, gunzip, async (chunks: AsyncIterable<Buffer>) => {
      summary = await unpackTar(
        within(chunks, limits, () => gunzip.bytesWritten),
        sink,
        limits,
      );
    });
  } catch (error) {
    throw asArchiveError(error);
  }
  return summary!;
}

async function unpackTar(chunks: AsyncIterable<Buffer>, sink: Sink, limits: ArchiveLimits): Promise<ArchiveSummary> {
  const tree = new ArchiveTree(limits.entries);
  const sum = { files: 0, bytes: 0 };
  let entries = 0;
  for await (const entry of readTar(chunks)) {
    if (++entries > limits.entries)
      throw new ArchiveError(`the archive holds more than ${limits.entries} files and folders`);
    const names = safeNames(entry.path);
    if (!isSkipped(names)) await place(entry, names, tree, sink, sum, limits);
  }
  if (!entries) throw new ArchiveError('the archive is empty');
  // Links come last: until then there is no symlink on disk to write through.
  for (const { names, target } of tree.checkedLinks()) await sink.link(names.join('/'), target);
  return sum;
}

async function place(
  entry: ArchiveEntry,
  names: string[],
  tree: ArchiveTree,
  sink: Sink,
  sum: ArchiveSummary,
  limits: ArchiveLimits,
): Promise<void> {
  const path = names.join('/');
  if (entry.type === 'folder') {
    tree.addFolder(names);
    return sink.folder(path);
  }
  sum.files++;
  if (entry.type === 'symlink') return tree.addLink(names, entry.target);
  if (entry.type === 'file') {
    sum.bytes += entry.size;
    // Checked before the content fills the disk.
    if (sum.bytes > limits.bytes) throw tooLarge(limits);
    return sink.file(path, entry, tree.addFile(names, entry.size));
  }
  const from = safeNames(entry.target);
  const size = tree.sizeOfFile(from);
  // A hard link becomes a copy, so it counts like one.
  sum.bytes += size;
  if (sum.bytes > limits.bytes) throw tooLarge(limits);
  const again = tree.addFile(names, size);
  if (path !== from.join('/')) await sink.copy(from.join('/'), path, again);
}

/** Passes chunks through while they stay within the limits. */
async function* within(
  chunks: AsyncIterable<Buffer>,
  { bytes, ratio, ratioFrom }: ArchiveLimits,
  compressed: () => number,
): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const chunk of chunks) {
    total += chunk.length;
    if (total > bytes) throw tooLarge({ bytes });
    if (total > ratioFrom && total > ratio * compressed())
      throw new ArchiveError('the archive has an extreme compression ratio and is refused');
    yield chunk;
  }
}

const tooLarge = ({ bytes }: { bytes: number }) =>
  new ArchiveError(`the archive holds more than ${Math.floor(bytes / 2 ** 20)} MB when it is unpacked`);

const nowhere: Sink = {
  folder: async () => {},
  file: async () => {},
  copy: async () => {},
  link: async () => {},
};

function intoFolder(root: string): Sink {
  const made = new Set<string>();
  const parent = async (path: string) => folder(dirname(path));
  const folder = async (path: string) => {
    if (made.has(path)) return;
    await mkdir(join(root, path), { recursive: true, mode: 0o755 });
    made.add(path);
  };
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return {
    folder,
    async file(path, entry, again) {
      await parent(path);
      if (again) await rm(join(root, path));
      // Owner, times and all mode bits but the executable one are dropped.
      const mode = entry.mode & 0o111 ? 0o755 : 0o644;
      const file = await open(join(root, path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
      try {
        for await (const chunk of entry.body()) await file.writeFile(chunk);
      } finally {
        await file.close();
      }
    },
    async copy(from, to, again) {
      await parent(to);
      if (again) await rm(join(root, to));
      await copyFile(join(root, from), join(root, to), constants.COPYFILE_EXCL);
    },
    async link(path, target) {
      await parent(path);
      await symlink(target, join(root, path));
    },
  };
}

// File system errors for names that it does not accept, for instance where it is case-insensitive.
const refusedNames = new Set(['ENAMETOOLONG', 'EEXIST', 'ENOTDIR', 'EISDIR', 'EILSEQ', 'EINVAL', 'ELOOP']);

function asArchiveError(error: unknown): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (error instanceof ArchiveError) return error;
  if (code === 'Z_BUF_ERROR') return new ArchiveError('the archive is cut off', error);
  if (code.startsWith('Z_')) return new ArchiveError('this is not a gzip archive, or it is damaged', error);
  if (refusedNames.has(code)) return new ArchiveError(`the archive cannot be unpacked here (${code})`, error);
  return error;
}
