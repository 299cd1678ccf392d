import { createReadStream } from 'node:fs';
import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readTar } from '../../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../../lib/archive/writer.ts';
import { BackupError } from '../source.ts';
import { changedBetween } from './changes.ts';
import { checkedEntries } from './paths.ts';

// A volume is first copied to a tar on this machine, and that is sent. Reasons: if a file changed meanwhile, the copy
// can be taken again, while bytes that were sent to a destination cannot be taken back; services are paused only for a
// local copy and not for an upload; and the total size is known. The price is disk space for one copy.

const mostReads = 3;

/** How a volume is copied. */
export interface VolumeSpool {
  /** Writes all entries as a tar, and the list of what was read. */
  write(file: string, listFile: string): Promise<void>;
  /** Writes the list again, for comparison. */
  list(listFile: string): Promise<void>;
}

/** Copies a volume until nothing changed during a copy. `isQuiet`: nothing can change. Returns the tar. */
export async function spoolVolume(
  spool: VolumeSpool,
  folder: string,
  { isQuiet, name, say }: { isQuiet: boolean; name: string; say: (line: string) => void },
): Promise<string> {
  const [file, before, after] = ['volume.tar', 'before.list', 'after.list'].map((each) => join(folder, each)) as [
    string,
    string,
    string,
  ];
  let changed: string[] = [];
  for (let read = 1; read <= mostReads; read++) {
    await spool.write(file, before);
    if (isQuiet) return file;
    await spool.list(after);
    changed = await changedBetween(before, after);
    if (!changed.length) return file;
    if (read < mostReads) say(`${shown(changed)} changed while ${name} was read; reading it again`);
  }
  await rm(file, { force: true });
  throw new BackupError(
    'changed_while_read',
    `Files of ${name} changed during each of ${mostReads} reads: ${shown(changed)}`,
    'Set the consistency of the policy to pause, or run the backup when the app is idle.',
  );
}

const shown = (paths: readonly string[]): string => paths.map((path) => JSON.stringify(path)).join(', ');

/** Returns the entries of a spooled tar. */
export async function* entriesIn(file: string): AsyncGenerator<WrittenEntry> {
  yield* checkedEntries(readTar(createReadStream(file)));
}

export const bytesOf = async (file: string): Promise<number> => (await lstat(file)).size;
