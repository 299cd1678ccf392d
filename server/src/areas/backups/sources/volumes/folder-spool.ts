import { constants, createReadStream, createWriteStream } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { folderEntries } from '../../../../lib/archive/folder-entries.ts';
import { writeTar, type WrittenEntry } from '../../../../lib/archive/writer.ts';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import { listLine } from './changes.ts';
import { top } from './paths.ts';
import { isCompanion, isSqlite, magicBytes } from './sqlite-files.ts';
import type { VolumeSpool } from './spool.ts';

type Options = {
  /** Returns a consistent copy of a SQLite file. */
  copySqlite: (path: string) => Promise<string>;
  say: (line: string) => void;
};

/** Reads a folder of this machine. Files of SQLite databases are not listed: they are copied consistently by
 * themselves. */
export function folderSpool(folder: string, { copySqlite, say }: Options): VolumeSpool {
  const databases = new Set<string>();
  const isListed = (path: string) => !databases.has(path) && !isCompanion(path, databases);
  const list = (file: string) =>
    pipeline(
      Readable.from(linesOf(folder, '', isListed), { objectMode: false }),
      createWriteStream(file, { mode: 0o600 }),
    );
  return {
    list,
    async write(file, listFile) {
      databases.clear();
      for await (const path of sqliteFilesIn(folder)) databases.add(path);
      await list(listFile);
      const entries = folderEntries(folder, top, {
        isLeftOut: (path) => isCompanion(path, databases),
        onSkipped: (path, why) => say(`${path.slice(folder.length + 1)} is skipped: ${why}`),
      });
      const tar = writeTar(withCopies(entries, databases, copySqlite));
      await pipeline(Readable.from(tar, { objectMode: false }), createWriteStream(file, { mode: 0o600 }));
    },
  };
}

async function* withCopies(
  entries: AsyncIterable<WrittenEntry>,
  databases: ReadonlySet<string>,
  copySqlite: Options['copySqlite'],
): AsyncGenerator<WrittenEntry> {
  for await (const entry of entries) {
    const path = entry.path.slice(top.length + 1);
    if (entry.type !== 'file' || !databases.has(path)) yield entry;
    else {
      const copy = await copySqlite(path);
      yield { ...entry, size: (await lstat(copy)).size, content: () => createReadStream(copy) };
    }
  }
}

/** Times with all digits: two changes may happen within a millisecond. */
async function* linesOf(folder: string, path: string, isListed: (path: string) => boolean): AsyncGenerator<string> {
  for await (const { path: inner, held, name } of walk(folder, path)) {
    if (!isListed(inner)) continue;
    const stat = await lstat(held.at(name), { bigint: true }).catch(ifGone);
    if (stat)
      yield listLine(inner, stat.mode, stat.ino, stat.isDirectory() ? 0 : stat.size, stat.mtimeNs, stat.ctimeNs);
  }
}

type Found = { path: string; held: HeldFolder; name: string; isFolder: boolean; isFile: boolean };

/** Walks in a fixed order, without following links. */
async function* walk(folder: string, path: string): AsyncGenerator<Found> {
  const held = await HeldFolder.open(folder).catch(ifGone);
  if (held) yield* below(held, path);
}

async function* below(held: HeldFolder, path: string): AsyncGenerator<Found> {
  try {
    const entries = await held.entries();
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = path ? `${path}/${entry.name}` : entry.name;
      yield { path: inner, held, name: entry.name, isFolder: entry.isDirectory(), isFile: entry.isFile() };
      const folder = entry.isDirectory() ? await held.enter(entry.name) : undefined;
      if (folder) yield* below(folder, inner);
    }
  } finally {
    await held.close();
  }
}

/** Yields the paths of SQLite databases, by their first bytes. */
export async function* sqliteFilesIn(folder: string): AsyncGenerator<string> {
  const start = Buffer.alloc(magicBytes);
  for await (const { path, held, name, isFile } of walk(folder, '')) {
    if (!isFile) continue;
    const file = await open(held.at(name), readOnly).catch(ifGone);
    try {
      const isDatabase = file && (await file.read(start, 0, magicBytes, 0)).bytesRead === magicBytes && isSqlite(start);
      if (isDatabase) yield path;
    } finally {
      await file?.close();
    }
  }
}

const readOnly = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const ifGone = (error: NodeJS.ErrnoException): undefined => {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EACCES'].includes(error.code ?? '')) throw error;
};
