import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type ArchiveEntry, readTar } from '../../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../../lib/archive/writer.ts';
import { isSqliteCompanion, isSqlite, magicBytes } from '../../../../lib/sqlite-format.ts';
import { BackupError, type ArchiveContent } from '../source.ts';
import { splitVolumePath, volumeRootName } from './paths.ts';
import type { VolumePacking } from './read.ts';

const mostChanged = 5;

/** Opens the whole volume as a tar. */
export type OpenVolume = () => Promise<Readable | undefined>;

/** Adds a volume of a container engine. Returns the paths of some files that changed meanwhile. An engine tells times in
 * whole seconds, so it is read twice and compared. SQLite databases are copied by themselves, and may change. */
export async function addVolume(open: OpenVolume, content: ArchiveContent, filling: VolumePacking): Promise<string[]> {
  const began = Math.floor(Date.now() / 1000) * 1000;
  const [first, second] = [createHash('sha256'), createHash('sha256')];
  await content.entries(entriesOf(open, first, filling));
  if (filling.isQuiet) return [];
  const changed: string[] = [];
  for await (const entry of entriesOf(open, second, null)) {
    for await (const _chunk of entry.content());
    if (entry.modifiedMs >= began && changed.length < mostChanged) changed.push(entry.path);
  }
  if (first.digest('hex') === second.digest('hex')) return [];
  return changed.length ? changed : [volumeRootName];
}

/** Reads the volume once. Everything but databases counts for the sum. Without `filling`, databases are left out. */
async function* entriesOf(open: OpenVolume, sum: Hash, filling: VolumePacking | null): AsyncGenerator<WrittenEntry> {
  const tar = await open();
  if (!tar) throw new BackupError('volume_missing', 'The volume is no longer in the container engine', 'Deploy again.');
  const databases = new Set<string>();
  try {
    const onDevice = (path: string) => filling?.say(`${relative(path)} is skipped: it is a device or a pipe`);
    for await (const entry of readTar(tar, { withoutDevices: true, onDevice })) {
      const path = relative(entry.path);
      if (isSqliteCompanion(path, databases)) continue;
      const { type, size, mode, modifiedMs, owner } = entry;
      const target = type === 'hardlink' ? relative(entry.target) : entry.target;
      const facts = { path, mode, modifiedMs, owner, target, type: type === 'symlink' ? ('link' as const) : type };
      const { start, body } = await begun(entry);
      if (type === 'file' && isSqlite(start)) {
        databases.add(path);
        if (filling) yield* copied(facts, await filling.copySqlite(path));
        continue;
      }
      sum.update(`${JSON.stringify([path, type, mode, size, target])}\n`);
      const content = async function* () {
        for await (const chunk of body) {
          sum.update(chunk);
          yield chunk;
        }
      };
      yield { ...facts, size, content };
    }
  } finally {
    tar.destroy();
  }
}

async function* copied(
  facts: Omit<WrittenEntry, 'size' | 'content'>,
  copy: string | undefined,
): AsyncGenerator<WrittenEntry> {
  if (copy === undefined) return;
  yield { ...facts, size: (await lstat(copy)).size, content: () => createReadStream(copy) };
  await rm(copy, { force: true });
}

/** The engine names everything after the folder that it reads. */
const relative = (path: string): string => splitVolumePath(path).slice(1).join('/') || volumeRootName;

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
