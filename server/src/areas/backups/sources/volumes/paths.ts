import { longestPath } from '../../../../lib/archive/folder-tar.ts';
import { ArchiveError, type ArchiveEntry, quotedName } from '../../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../../lib/archive/writer.ts';

const longestName = 255;
/** The paths of links are kept in memory. */
const mostLinkBytes = 2 ** 26;

/** Path of the top folder of a volume in an archive. */
export const volumeRootName = '.';

/** Splits a path of an archive into names. Unlike uploads, volumes may contain names with any characters. */
export function splitVolumePath(path: string): string[] {
  const refuse = (why: string) => new ArchiveError(`the archive holds ${why}: ${quotedName(path)}`);
  if (path.includes('\0')) throw refuse('a name with a NUL');
  if (path.startsWith('/')) throw refuse('an absolute path');
  if (Buffer.byteLength(path) > longestPath) throw refuse('a path that is too long');
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.includes('..')) throw refuse('a path with ..');
  if (names.some((name) => Buffer.byteLength(name) > longestName)) throw refuse('a name that is too long');
  return names;
}

/** Checks the entries of a volume and normalizes their paths. Links may lead anywhere, as in the volume itself, but
 * nothing is ever written through one. */
export async function* checkedEntries(entries: AsyncIterable<ArchiveEntry>): AsyncGenerator<WrittenEntry> {
  const links = new Set<string>();
  let linkBytes = 0;
  const seen = (names: string[]) => {
    for (let depth = 1; depth <= names.length; depth++)
      if (links.has(names.slice(0, depth).join('/')))
        throw new ArchiveError(`the archive holds a path that goes through a link: ${quotedName(names.join('/'))}`);
  };
  for await (const entry of entries) {
    const { type, path, target, size, mode, modifiedMs, owner } = entry;
    const names = splitVolumePath(path);
    if (!names.length && type !== 'folder') throw new ArchiveError('the root of the archive is not a folder');
    seen(names);
    const facts = { mode: mode & 0o7777, modifiedMs, owner, size, content: () => entry.body() };
    const inside = names.join('/') || volumeRootName;
    if (type === 'symlink') {
      if (!target || target.includes('\0'))
        throw new ArchiveError(`the archive has an empty link: ${quotedName(path)}`);
      links.add(inside);
      if ((linkBytes += inside.length) > mostLinkBytes) throw new ArchiveError('the archive has too many links');
      yield { ...facts, path: inside, type: 'link', target };
    } else if (type === 'hardlink') {
      const to = splitVolumePath(target);
      seen(to);
      if (!to.length) throw new ArchiveError(`the archive has a hard link to a folder: ${quotedName(path)}`);
      yield { ...facts, path: inside, type: 'hardlink', target: to.join('/') };
    } else yield { ...facts, path: inside, type, target: '' };
  }
}

/** Counts what passes through. */
export async function* counted(
  entries: AsyncIterable<WrittenEntry>,
  sum: { files: number; bytes: number },
): AsyncGenerator<WrittenEntry> {
  for await (const entry of entries) {
    if (entry.type !== 'folder') sum.files++;
    sum.bytes += entry.size;
    yield entry;
  }
}
