import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, type FileHandle, mkdir, open, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { limitConcurrency } from '../../../lib/concurrency.ts';
import type { HeldFolder } from '../../../lib/held-folder.ts';
import { StepError } from '../model/model.ts';
import { changedWhileRead, type OpenedSource, openFile } from './source.ts';

const maxDepth = 128;
const filesAtOnce = 16;
const chunkBytes = 256 * 1024;

/** Entry for a file, folder or link; the digest covers all of them. */
type Note = (string | boolean)[];

/**
 * Digests a file or a folder. With `to`, copies it in the same pass, so that the digest matches the copy even if the
 * source changes meanwhile. The copy is readable by every user.
 */
export async function digestTree(opened: OpenedSource, to?: string): Promise<string> {
  const notes =
    opened.kind === 'file'
      ? [['file', ...(await digestFile(opened.file, to))]]
      : [['folder'], ...(await readFolder(opened.folder, '', to, 0))];
  const sum = createHash('sha256');
  for (const note of notes) sum.update(`${JSON.stringify(note)}\n`);
  return sum.digest('hex');
}

async function readFolder(folder: HeldFolder, path: string, to: string | undefined, depth: number): Promise<Note[]> {
  if (depth > maxDepth) throw unreadable(`${path} is more than ${maxDepth} folders deep`);
  if (to !== undefined) await makeFolder(to);
  const entries = (await folder.entries()).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const limited = limitConcurrency(filesAtOnce);
  const notes = await allEnded(
    entries.map((entry) =>
      entry.isDirectory() ? Promise.resolve([]) : limited(() => readEntry(folder, entry, path, to)),
    ),
  );
  for (const [at, { name }] of entries.entries()) {
    if (!entries[at]!.isDirectory()) continue;
    const inside = `${path}${name}/`;
    const inner = await folder.enter(name);
    if (!inner) throw changedWhileRead(inside);
    try {
      const below = await readFolder(inner, inside, to === undefined ? undefined : join(to, name), depth + 1);
      notes[at] = [['folder', inside], ...below];
    } finally {
      await inner.close();
    }
  }
  return notes.flat();
}

/** Waits for all reads before the folder is closed, even if one failed. */
async function allEnded(reading: Promise<Note[]>[]): Promise<Note[][]> {
  await Promise.allSettled(reading);
  return Promise.all(reading);
}

/** Reads a file or a link. Pipes and devices are ignored. */
async function readEntry(folder: HeldFolder, entry: Dirent, inside: string, to: string | undefined): Promise<Note[]> {
  const path = `${inside}${entry.name}`;
  const target = to === undefined ? undefined : join(to, entry.name);
  if (entry.name.includes('\uFFFD')) throw unreadable(`a file has a name that is not UTF-8: ${path}`);
  if (entry.isSymbolicLink()) {
    const leadsTo = await readlink(folder.at(entry.name)).catch(() => Promise.reject(changedWhileRead(path)));
    if (target !== undefined) await symlink(leadsTo, target);
    return [['link', path, leadsTo]];
  }
  if (!entry.isFile()) return [];
  const file = await openFile(folder, entry.name);
  if (!file) throw changedWhileRead(path);
  try {
    return [['file', path, ...(await digestFile(file, target))]];
  } finally {
    await file.close();
  }
}

/** Returns whether the file is executable, and the digest of its content. */
export async function digestFile(file: FileHandle, to?: string): Promise<[isExecutable: boolean, digest: string]> {
  const { mode, size } = await file.stat();
  const isExecutable = (mode & 0o111) !== 0;
  const sum = createHash('sha256');
  const copy = to === undefined ? undefined : await open(to, 'wx', 0o600);
  try {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, size + 1));
    for (let position = 0; ;) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      if (!bytesRead) break;
      position += bytesRead;
      const chunk = buffer.subarray(0, bytesRead);
      sum.update(chunk);
      await copy?.writeFile(chunk);
    }
    await copy?.chmod(isExecutable ? 0o755 : 0o644);
  } finally {
    await copy?.close();
  }
  return [isExecutable, sum.digest('hex')];
}

/** Ignores the umask. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path);
  await chmod(path, 0o755);
}

const unreadable = (message: string) => new StepError('source_unreadable', message);
