import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { type ArchiveEntry, readTar } from '../../../../lib/archive/reader.ts';
import { writeTar, type WrittenEntry } from '../../../../lib/archive/writer.ts';
import { BackupError } from '../source.ts';
import { listLine } from './changes.ts';
import { namesIn, top } from './paths.ts';
import { isCompanion, isSqlite, magicBytes } from './sqlite-files.ts';
import type { VolumeSpool } from './spool.ts';

type Options = {
  /** Opens the whole volume as a tar. */
  open: () => Promise<Readable | undefined>;
  copySqlite: (path: string) => Promise<string>;
  say: (line: string) => void;
};

/** Reads a volume of a container engine. An engine tells times in whole seconds, so changes are found by content. */
export function engineSpool({ open, copySqlite, say }: Options): VolumeSpool {
  /** Reads the volume once and writes its list. `withDatabases` includes copies of SQLite files, which are not
   * listed. */
  async function* pass(listFile: string, withDatabases: boolean): AsyncGenerator<WrittenEntry> {
    const tar = await open();
    if (!tar)
      throw new BackupError('volume_missing', 'The volume is no longer in the container engine', 'Deploy again.');
    const list = createWriteStream(listFile, { mode: 0o600 });
    const databases = new Set<string>();
    try {
      const onDevice = (path: string) => withDatabases && say(`${relative(path)} is skipped: it is a device or a pipe`);
      for await (const entry of readTar(tar, { withoutDevices: true, onDevice })) {
        const path = relative(entry.path);
        if (isCompanion(path, databases)) continue;
        const { type, size, mode, modifiedMs, owner } = entry;
        const target = type === 'hardlink' ? relative(entry.target) : entry.target;
        const facts = { path, mode, modifiedMs, owner, target, type: type === 'symlink' ? ('link' as const) : type };
        const { start, body } = await begun(entry);
        if (type === 'file' && isSqlite(start)) {
          databases.add(path);
          const copy = withDatabases ? await copySqlite(path) : undefined;
          if (copy) yield { ...facts, size: (await lstat(copy)).size, content: () => createReadStream(copy) };
          continue;
        }
        const hash = createHash('sha256');
        const content = async function* () {
          for await (const chunk of body) {
            hash.update(chunk);
            yield chunk;
          }
        };
        yield { ...facts, size, content };
        const line = listLine(path, type, mode, size, target, hash.digest('hex'));
        if (!list.write(line)) await once(list, 'drain');
      }
    } finally {
      tar.destroy();
      list.end();
      await finished(list);
    }
  }
  return {
    async list(file) {
      for await (const entry of pass(file, false)) for await (const _chunk of entry.content());
    },
    write: (file, listFile) =>
      pipeline(
        Readable.from(writeTar(pass(listFile, true)), { objectMode: false }),
        createWriteStream(file, { mode: 0o600 }),
      ),
  };
}

/** The engine names everything after the folder that it reads. */
const relative = (path: string): string => namesIn(path).slice(1).join('/') || top;

/** Reads enough of a file to recognize it. */
async function begun(entry: ArchiveEntry): Promise<{ start: Buffer; body: AsyncGenerator<Buffer> }> {
  const chunks = entry.body();
  let start = Buffer.alloc(0);
  while (start.length < Math.min(magicBytes, entry.size)) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  const body = async function* () {
    if (start.length) yield start;
    yield* chunks;
  };
  return { start, body: body() };
}
