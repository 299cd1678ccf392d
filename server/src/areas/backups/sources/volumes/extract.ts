import { constants } from 'node:fs';
import { link, lchown, lutimes, mkdir, open, symlink } from 'node:fs/promises';
import { ArchiveError, quotedName } from '../../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../../lib/archive/writer.ts';
import { HeldFolder } from '../../../../lib/held-folder.ts';
import { volumeRootName } from './paths.ts';

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;

type Options = {
  /** Owner of everything; undefined: the service's own user. */
  owner?: { uid: number; gid: number } | undefined;
};

/** Extracts checked entries into a new folder, without following any link. Drops setuid, setgid and sticky bits. */
export async function extractInto(
  folder: string,
  entries: AsyncIterable<WrittenEntry>,
  { owner }: Options = {},
): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const modes: [string[], number][] = [];
  let topMode = 0o755;
  for await (const entry of entries) {
    const names = entry.path === volumeRootName ? [] : entry.path.split('/');
    if (entry.type === 'folder') {
      await (await entered(folder, names)).close();
      // Set at the end, because a folder may be read-only.
      if (names.length) modes.push([names, entry.mode]);
      else topMode = entry.mode;
      continue;
    }
    const above = await entered(folder, names.slice(0, -1));
    try {
      await place(folder, above.at(names.at(-1)!), entry);
      if (owner && entry.type !== 'hardlink') await lchown(above.at(names.at(-1)!), owner.uid, owner.gid);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new ArchiveError(`the archive has two entries named ${quotedName(entry.path)}`, error);
    } finally {
      await above.close();
    }
  }
  for (const [names, mode] of [...modes.toReversed(), [[], topMode] as const]) {
    const held = await entered(folder, names);
    try {
      if (owner) await held.chown(owner);
      await held.chmod(mode & 0o777);
    } finally {
      await held.close();
    }
  }
}

async function place(folder: string, at: string, entry: WrittenEntry): Promise<void> {
  if (entry.type === 'link') return symlink(entry.target, at);
  if (entry.type === 'hardlink') {
    const names = entry.target.split('/');
    const held = await entered(folder, names.slice(0, -1));
    try {
      return await link(held.at(names.at(-1)!), at);
    } finally {
      await held.close();
    }
  }
  const file = await open(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    for await (const chunk of entry.content()) await file.writeFile(chunk);
    await file.chmod(entry.mode & 0o777);
  } finally {
    await file.close();
  }
  await lutimes(at, entry.modifiedMs / 1000, entry.modifiedMs / 1000);
}

/** Opens a folder below, and creates it if needed. */
async function entered(folder: string, names: readonly string[]): Promise<HeldFolder> {
  let held = await HeldFolder.open(folder);
  for (const name of names) {
    const above = held;
    try {
      const inner = (await above.enter(name)) ?? (await made(above, name));
      if (!inner)
        throw new ArchiveError(`the archive uses a file or a link as a folder: ${quotedName(names.join('/'))}`);
      held = inner;
    } finally {
      await above.close();
    }
  }
  return held;
}

async function made(above: HeldFolder, name: string): Promise<HeldFolder | undefined> {
  await mkdir(above.at(name), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return above.enter(name);
}
