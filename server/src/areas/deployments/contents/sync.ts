import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readlink, rename, symlink, unlink } from 'node:fs/promises';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { openFile } from './source.ts';

/** The container's user is unknown, so every user may create files in its folders and read the files of the source. */
export const sharedFolderMode = 0o777;
const mostTries = 20;
const filesAtOnce = 16;
const readAtOnce = 1_048_576;

/**
 * Copies a folder of ours over one that containers write to. Files and links of the same path are replaced; a folder
 * in place of a file, or the reverse, is moved aside; everything else stays. Containers may plant links at any moment,
 * so none is followed.
 */
export async function mirrorFolder(from: string, to: string): Promise<void> {
  const source = await HeldFolder.open(from);
  try {
    await syncInto(source, await HeldFolder.open(to));
  } finally {
    await source.close();
  }
}

/** Copies `from` into `to`, and closes `to`. */
async function syncInto(from: HeldFolder, to: HeldFolder): Promise<void> {
  try {
    const entries = await from.entries();
    const limited = limitConcurrency(filesAtOnce);
    const files = entries.filter((entry) => !entry.isDirectory());
    const copying = files.map(({ name }) => limited(() => replace(from, to, name)));
    // Waits for all copies before the folders are closed, even if one failed.
    await Promise.allSettled(copying);
    await Promise.all(copying);
    for (const { name } of entries.filter((entry) => entry.isDirectory())) await syncInner(from, to, name);
  } finally {
    await to.close();
  }
}

async function syncInner(from: HeldFolder, to: HeldFolder, name: string): Promise<void> {
  const source = await from.enter(name);
  if (!source) throw new Error(`${name} is missing from the stored files`);
  try {
    await syncInto(source, await enterOrMake(to, name));
  } finally {
    await source.close();
  }
}

/** An existing folder keeps its permissions: the container may have chosen them. */
async function enterOrMake(above: HeldFolder, name: string): Promise<HeldFolder> {
  for (let tries = 0; tries < mostTries; tries++) {
    const there = await above.enter(name);
    if (there) return there;
    if (await succeeds(mkdir(above.at(name), { mode: 0o700 }), 'EEXIST')) {
      const made = await above.enter(name);
      if (!made) continue;
      await made.chmod(sharedFolderMode);
      return made;
    }
    await moveAside(above, name);
  }
  throw stubborn(name);
}

/** Writes to a temporary name and renames: readers see the old file or the new one, and links are not followed. */
async function replace(from: HeldFolder, to: HeldFolder, name: string): Promise<void> {
  const temporary = to.at(`.mooring-${randomBytes(8).toString('hex')}`);
  try {
    await writeCopy(from, name, temporary);
    for (let tries = 0; tries < mostTries; tries++) {
      if (await succeeds(rename(temporary, to.at(name)), 'EISDIR', 'ENOTEMPTY', 'EEXIST')) return;
      await moveAside(to, name);
    }
    throw stubborn(name);
  } catch (error) {
    await succeeds(unlink(temporary), 'ENOENT');
    throw error;
  }
}

async function writeCopy(from: HeldFolder, name: string, path: string): Promise<void> {
  const file = await openFile(from, name);
  if (!file) return symlink(await readlink(from.at(name)), path);
  try {
    await writeContent(file, path);
  } finally {
    await file.close();
  }
}

async function writeContent(file: FileHandle, path: string): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const copy = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    const { mode, size } = await file.stat();
    await copy.writeFile(size > readAtOnce ? file.createReadStream({ autoClose: false }) : await file.readFile());
    await copy.chmod(mode & 0o777);
  } finally {
    await copy.close();
  }
}

/** Moves aside instead of removing: the container's data is never deleted. */
const moveAside = (folder: HeldFolder, name: string): Promise<boolean> =>
  succeeds(
    rename(folder.at(name), folder.at(`${name.slice(0, 50)}.replaced-${randomBytes(6).toString('hex')}`)),
    'ENOENT',
  );

/** Returns false for one of the expected errors, so that the caller retries. */
async function succeeds(attempt: Promise<void>, ...expected: string[]): Promise<boolean> {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (!expected.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return false;
  }
}

const stubborn = (name: string) => new Error(`${name} cannot be written: another program keeps replacing it`);
