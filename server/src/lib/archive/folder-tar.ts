import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import type { Dirent, Stats } from 'node:fs';
import { isSqliteCompanion, isSqlite, magicBytes } from '../sqlite-format.ts';
import { type EntryFacts, headersOf, paddingOf } from './writer.ts';

// Reads folders with synchronous calls, for use in a thread: with small files, asynchronous calls take many times as
// long. Names are looked up in the open folder and not by their path, as in HeldFolder.

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;
const asFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
// O_NONBLOCK, in case a pipe has taken its place.
const asFile = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
const mostChanged = 5;
/** Longest path inside a folder that is packed. */
export const longestPath = 4000;
const blockBytes = 262_144;
/** File systems round times down to a tick of the kernel. */
const tickMs = 20;

export type FolderOptions = {
  folder: string;
  /** Path of the folder in the archive. */
  prefix: string;
  /** Path of the entry of the folder itself, if it differs. */
  top?: string | undefined;
  /** Paths inside the folder that are left out, with all that is below them. */
  leftOut?: RegExp | undefined;
  /** Leaves SQLite databases out, with their logs and journals: they have to be copied by other means. */
  withoutDatabases?: boolean | undefined;
  /** Skips what may not be read. Without it, that fails. */
  skipsUnreadable?: boolean | undefined;
};

/** A SQLite database that was left out: its path inside the folder, and its entry. */
export type FoundDatabase = { path: string; entry: EntryFacts };

type Found = {
  onEntry: (entry: EntryFacts) => void;
  onContent: (bytes: Buffer) => void;
  onDatabase: (database: FoundDatabase) => void;
  onSkipped: (path: string, why: string) => void;
};

export type FileOptions = {
  file: string;
  /** Facts that differ from those of the file, other than its size. */
  entry: Pick<EntryFacts, 'path'> & Partial<EntryFacts>;
};

/** Yields a tar of one file, which must exist, without its end. */
export function* fileTar({ file, entry }: FileOptions, found: Pick<Found, 'onEntry' | 'onContent'>): Generator<Buffer> {
  const fd = openSync(file, O_RDONLY);
  try {
    const stat = fstatSync(fd);
    const facts = { ...entryOf(entry.path, 'file', stat), ...entry, size: stat.size };
    found.onEntry(facts);
    yield headersOf(facts);
    yield* contentOf(fd, facts.size, Buffer.allocUnsafeSlow(blockBytes), found.onContent);
  } finally {
    closeSync(fd);
  }
}

/** Yields exactly `size` bytes and the padding after them. A file that grew is cut, one that shrank is filled with
 * zeros. */
function* contentOf(fd: number, size: number, block: Buffer, onContent: Found['onContent']): Generator<Buffer> {
  for (let missing = size; missing > 0;) {
    const wanted = Math.min(missing, block.length);
    const count = readSync(fd, block, 0, wanted, null);
    const bytes = count ? block.subarray(0, count) : block.fill(0, 0, wanted).subarray(0, wanted);
    onContent(bytes);
    missing -= bytes.length;
    yield bytes;
  }
  yield block.fill(0, 0, paddingOf(size)).subarray(0, paddingOf(size));
}

/**
 * Yields a tar of the folder and everything in it, without its end, parents first, with numeric owners; nothing if there
 * is no such folder. Each chunk is valid until the next. Reads nothing outside the folder, however quickly its owner
 * swaps one for a symlink. Files may change meanwhile: one that disappears is left out. Skips pipes, sockets and devices.
 */
export function* folderTar(options: FolderOptions, found: Found): Generator<Buffer> {
  const { folder, prefix, top = prefix, withoutDatabases, skipsUnreadable } = options;
  const block = Buffer.allocUnsafeSlow(blockBytes);
  const databases = new Set<string>();
  yield* withOpen(folder, asFolder, (fd) => tarOf(fd, ''), unreadable('.'));

  function* tarOf(fd: number, path: string): Generator<Buffer> {
    yield begun(entryOf(path ? `${prefix}/${path}` : top, 'folder', fstatSync(fd)));
    for (const { entry, at, inner } of entriesIn(fd, path, databases, options)) {
      const name = `${prefix}/${inner}`;
      // Decoded from a name that is not UTF-8, so it cannot be opened by that name.
      if (entry.name.includes('\uFFFD')) found.onSkipped(inner, 'its name is not UTF-8');
      // Readers reject it, and each level holds a file descriptor.
      else if (Buffer.byteLength(inner) > longestPath) found.onSkipped(shortened(inner), 'its path is too long');
      else if (entry.isDirectory()) yield* withOpen(at, asFolder, (inside) => tarOf(inside, inner), unreadable(inner));
      else if (entry.isFile()) yield* withOpen(at, asFile, (file) => tarOfFile(file, name, inner), unreadable(inner));
      else if (entry.isSymbolicLink()) {
        const link = unlessChanged(() => ({ stat: lstatSync(at), target: readlinkSync(at) }), unreadable(inner));
        if (link?.stat.isSymbolicLink()) yield begun({ ...entryOf(name, 'link', link.stat), target: link.target });
      }
    }
  }

  function* tarOfFile(file: number, name: string, path: string): Generator<Buffer> {
    const stat = fstatSync(file);
    if (!stat.isFile()) return;
    const entry = { ...entryOf(name, 'file', stat), size: stat.size };
    if (withoutDatabases && isDatabase(file)) {
      databases.add(path);
      found.onDatabase({ path, entry });
      return;
    }
    yield begun(entry);
    yield* contentOf(file, stat.size, block, found.onContent);
  }

  function unreadable(path: string) {
    return skipsUnreadable && (() => found.onSkipped(path, "the service's user may not read it"));
  }

  function begun(entry: EntryFacts): Buffer {
    found.onEntry(entry);
    return headersOf(entry);
  }
}

/** Returns the paths of some files that changed since a time, other than these databases. By the time of the last status
 * change: every way to change a file sets it, and nobody can set it back. A store to a mapped page sets it only if the
 * page is clean, so the file system has to be synced after that time and before the folder is read. */
export function changedSince(folder: string, timeMs: number, databases: Set<string>): string[] {
  const changed: string[] = [];
  function* look(fd: number, path: string): Generator<never> {
    // Something was added or removed, or its permissions changed. Beside a database, journals come and go.
    let isChanged = fstatSync(fd).ctimeMs >= timeMs - tickMs;
    for (const { entry, at, inner } of entriesIn(fd, path, databases)) {
      if (changed.length >= mostChanged) return;
      if (databases.has(inner)) isChanged = false;
      else if (Buffer.byteLength(inner) > longestPath) continue;
      else if (entry.isDirectory()) yield* withOpen(at, asFolder, (inside) => look(inside, inner));
      else if ((lstatSync(at, { throwIfNoEntry: false })?.ctimeMs ?? 0) >= timeMs - tickMs) changed.push(inner);
    }
    if (isChanged) changed.push(path || '.');
  }
  for (const _none of withOpen(folder, asFolder, (fd) => look(fd, '')));
  return changed;
}

const shortened = (path: string): string => `${path.slice(0, 100)}…`;

function isDatabase(file: number): boolean {
  const start = Buffer.alloc(magicBytes);
  readSync(file, start, 0, magicBytes, 0);
  return isSqlite(start);
}

type InFolder = { entry: Dirent; at: string; inner: string };

/** Yields what is in an open folder, in the order of names: a log comes after its database. */
function* entriesIn(
  fd: number,
  path: string,
  databases: Set<string>,
  { leftOut }: Pick<FolderOptions, 'leftOut'> = {},
): Generator<InFolder> {
  const here = `/proc/self/fd/${fd}`;
  const entries = readdirSync(here, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path ? `${path}/${entry.name}` : entry.name;
    if (!isSqliteCompanion(inner, databases) && !leftOut?.test(inner))
      yield { entry, at: `${here}/${entry.name}`, inner };
  }
}

type OnUnreadable = (() => void) | undefined | false;

/** Opens it for a task, unless it changed. */
function* withOpen<T>(
  at: string,
  flags: number,
  task: (fd: number) => Generator<T>,
  onUnreadable?: OnUnreadable,
): Generator<T> {
  const fd = unlessChanged(() => openSync(at, flags), onUnreadable);
  if (fd === undefined) return;
  try {
    yield* task(fd);
  } finally {
    closeSync(fd);
  }
}

/** Returns undefined if it disappeared or changed its type meanwhile. */
function unlessChanged<T>(call: () => T, onUnreadable?: OnUnreadable): T | undefined {
  try {
    return call();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ELOOP', 'ENOTDIR', 'EINVAL', 'ENXIO', 'ENODEV', 'ENAMETOOLONG'].includes(code)) return undefined;
    if (code !== 'EACCES' || !onUnreadable) throw error;
    onUnreadable();
    return undefined;
  }
}

function entryOf(path: string, type: EntryFacts['type'], { uid, gid, mode, mtimeMs }: Stats): EntryFacts {
  return { path, type, mode: mode & 0o7777, size: 0, modifiedMs: mtimeMs, target: '', owner: { uid, gid } };
}
