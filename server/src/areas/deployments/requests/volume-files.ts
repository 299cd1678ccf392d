import type { Dirent } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { badRequest, notFound } from '../../../errors.ts';
import { readTar } from '../../../lib/archive/reader.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { openFile } from '../contents/source.ts';
import type { Parts } from '../model/parts.ts';

/** Location of a volume's data: a folder of this machine, or the container engine. */
type Place = { id: string | null; folder: string | null; parts: Parts };

export type VolumeEntry = {
  name: string;
  type: 'file' | 'folder' | 'link' | 'other';
  sizeBytes: number | null;
  modifiedMs: number;
};

const mostEntries = 1000;

/** Lists a folder of a volume, sorted by name. */
export async function listVolumeFiles(
  place: Place,
  path: string,
): Promise<{ entries: VolumeEntry[]; truncated: boolean }> {
  const names = namesIn(path);
  const held = await enter(place, names);
  const entries = held ? await inFolder(held) : await inEngine(place, names);
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { entries: sorted.slice(0, mostEntries), truncated: sorted.length > mostEntries };
}

/** Opens a file of a volume. */
export async function openFileIn(place: Place, path: string) {
  const names = namesIn(path);
  const fileName = names.pop();
  if (fileName === undefined) throw badRequest('path must name a file', 'path');
  const folder = await enter(place, names);
  if (!folder) return { fileName, ...(await fromEngine(place, [...names, fileName])) };
  let file: Awaited<ReturnType<typeof openFile>>;
  try {
    file = await openFile(folder, fileName);
  } finally {
    await folder.close();
  }
  if (!file) throw notFound('file');
  const { size } = await file.stat();
  // Sends the announced size, even if the file grows meanwhile.
  const content = size ? file.createReadStream({ end: size - 1 }) : Readable.from([]);
  if (!size) await file.close();
  return { fileName, sizeBytes: size, content };
}

function namesIn(path: string): string[] {
  const names = path.split('/').filter((name) => name && name !== '.');
  if (names.includes('..')) throw badRequest('path must be inside the volume', 'path');
  return names;
}

/**
 * Opens the folder without following links, which apps may plant anywhere. Undefined if the volume is not accessible
 * from here.
 */
async function enter({ folder, parts }: Place, names: readonly string[]): Promise<HeldFolder | undefined> {
  if (folder === null) return undefined;
  let held: HeldFolder;
  try {
    held = await HeldFolder.open(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // An engine keeps its volumes in a folder for root only, or on another machine.
    if (parts.containers && ['EACCES', 'ENOENT'].includes(code)) return undefined;
    if (code === 'ENOENT') throw notFound('file');
    throw error;
  }
  for (const name of names) {
    const above = held;
    try {
      const inner = await above.enter(name);
      if (!inner) throw notFound('folder');
      held = inner;
    } finally {
      await above.close();
    }
  }
  return held;
}

async function inFolder(folder: HeldFolder): Promise<VolumeEntry[]> {
  try {
    const found = (await folder.entries()).slice(0, mostEntries + 1);
    const entries = await Promise.all(found.map((entry) => entryOf(folder, entry)));
    return entries.filter((entry) => entry !== undefined);
  } finally {
    await folder.close();
  }
}

async function entryOf(folder: HeldFolder, entry: Dirent): Promise<VolumeEntry | undefined> {
  const stats = await lstat(folder.at(entry.name)).catch((error: NodeJS.ErrnoException) => {
    // The file was deleted meanwhile.
    if (error.code !== 'ENOENT') throw error;
  });
  if (!stats) return undefined;
  const type = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
  return { name: entry.name, type, sizeBytes: type === 'file' ? stats.size : null, modifiedMs: stats.mtimeMs };
}

async function tarOf({ id, parts }: Place, names: readonly string[]): Promise<Readable> {
  const tar = id === null ? undefined : await parts.containers?.services.readVolume(id, names.join('/'));
  if (!tar) throw notFound('file');
  return tar;
}

/** An engine can only list a folder recursively. */
async function inEngine(place: Place, names: readonly string[]): Promise<VolumeEntry[]> {
  const entries = new Map<string, VolumeEntry>();
  const tar = await tarOf(place, names);
  try {
    for await (const { path, type: kind, size, modifiedMs } of readTar(tar, { withoutDevices: true })) {
      const [, name, ...deeper] = path.split('/').filter(Boolean);
      if (name === undefined || deeper.length) continue;
      const type = kind === 'symlink' ? 'link' : kind === 'hardlink' ? 'file' : kind;
      entries.set(name, { name, type, sizeBytes: kind === 'file' ? size : null, modifiedMs });
    }
  } finally {
    tar.destroy();
  }
  return [...entries.values()];
}

async function fromEngine(place: Place, names: readonly string[]) {
  const tar = await tarOf(place, names);
  const entries = readTar(tar, { withoutDevices: true });
  const { value: first } = await entries.next();
  if (first?.type !== 'file') {
    tar.destroy();
    throw notFound('file');
  }
  const content = Readable.from(first.body(), { objectMode: false }).once('close', () => tar.destroy());
  return { sizeBytes: first.size, content };
}
