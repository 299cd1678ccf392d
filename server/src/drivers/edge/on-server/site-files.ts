import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { WrittenEntry } from '../../../lib/archive/writer.ts';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { readEntry } from '../../images/context/content.ts';
import type { ContextEntry } from '../../images/context/entry.ts';
import { readIgnoreRules } from '../../images/context/ignore-rules.ts';
import { walkContext } from '../../images/context/walk.ts';
import { isHidden } from '../builtin/static/files.ts';
import type { SiteOrigin } from './bridge-protocol.ts';

/** A folder of a release as it is sent to another server. */
export interface SiteFiles {
  /** Changes with the files and with their origin. */
  name: string;
  entries: WrittenEntry[];
  close(): Promise<void>;
}

const everything = readIgnoreRules('');

/** Opens the files that an edge would serve: no hidden files, no symlinks that lead out. Their owner may swap them at
 * any moment, so folders are held open and symlinks are not followed. */
export async function openSite(origin: SiteOrigin): Promise<SiteFiles> {
  const real = await realpath(origin.folder);
  const held = await HeldFolder.open(real);
  try {
    const isRight = isInside(await realpath(origin.within ?? origin.folder), await held.path());
    const entries: ContextEntry[] = [];
    // A site outside its folder is served as empty, as on this machine.
    if (isRight)
      for await (const entry of walkContext(held, '', everything, 0)) entries.push(await withinSite(real, entry));
    const served = entries.filter(({ path, type, target }) => isServed(path) && (type !== 'link' || target !== ''));
    return {
      name: nameOf(origin, served),
      entries: served.map((entry) => writtenOf(held, entry)),
      close: () => held.close(),
    };
  } catch (error) {
    await held.close();
    throw error;
  }
}

function isInside(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

const isServed = (path: string): boolean => !path.split(sep).some(isHidden);

/** Rewrites a symlink to lead to the same file there; clears the target if that is outside the site. */
async function withinSite(root: string, entry: ContextEntry): Promise<ContextEntry> {
  if (entry.type !== 'link') return entry;
  // A dangling symlink is treated like one that leads out.
  const leadsTo = await realpath(join(root, entry.path)).catch(() => undefined);
  if (!leadsTo || !isInside(root, leadsTo) || !isServed(relative(root, leadsTo))) return { ...entry, target: '' };
  return { ...entry, target: relative(dirname(join(root, entry.path)), leadsTo) || '.' };
}

const writtenOf = (held: HeldFolder, entry: ContextEntry): WrittenEntry => ({
  ...entry,
  mode: entry.type === 'file' ? 0o644 : 0o755,
  modifiedMs: Number(entry.modifiedNs / 1_000_000n),
  content: () => readEntry(held, entry),
});

/** Based on ctimes, which users cannot set, because reading all files would take long. */
function nameOf(origin: SiteOrigin, entries: ContextEntry[]): string {
  const hash = createHash('sha256').update(JSON.stringify(origin));
  for (const { path, type, size, modifiedNs, target } of entries)
    hash.update(`${JSON.stringify([path, type, size, String(modifiedNs), target])}\n`);
  return hash.digest('hex').slice(0, 40);
}
