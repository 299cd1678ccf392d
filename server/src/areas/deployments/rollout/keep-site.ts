import { mkdir, realpath, rename } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { HeldFolder } from '../../../lib/held-folder.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { Folders } from '../model/parts.ts';

/**
 * Removes everything of a site's release except the served folder: sources and `node_modules` are often a hundred
 * times as large. The folder keeps its path. After a crash between any two renames, another call can continue.
 */
export async function keepOnlySite(folders: Folders, artifactId: string, site: string): Promise<void> {
  const release = folders.release(artifactId);
  const kept = folders.unfinishedSite(artifactId);
  const removed = `${release}.removed`;
  if (!(await isFolder(join(kept, site)))) {
    const output = relative(await realpath(release), await realpath(join(release, site)));
    if (output === '' || (await hasNothingElse(release, site))) return removeTree(removed);
    await removeTree(kept);
    await mkdir(dirname(join(kept, site)), { recursive: true, mode: 0o700 });
    await moveOut(release, output, join(kept, site));
  }
  await removeTree(removed);
  await rename(release, removed).catch(ignoreMissing);
  await rename(kept, release);
  await removeTree(removed);
}

/** The project's own processes may swap folders for links meanwhile, so none is followed. */
async function moveOut(release: string, output: string, to: string): Promise<void> {
  const names = output.split('/');
  const last = names.pop()!;
  let above = await HeldFolder.open(release);
  try {
    for (const name of names) {
      const inner = await above.enter(name);
      if (!inner) throw new Error(`${output} was replaced while the release was being prepared`);
      await above.close();
      above = inner;
    }
    const folder = await above.enter(last);
    // A folder must be writable to be moved.
    await folder?.chmod(0o755);
    await folder?.close();
    await rename(above.at(last), to);
  } finally {
    await above.close();
  }
}

async function hasNothingElse(release: string, site: string): Promise<boolean> {
  let above = await HeldFolder.open(release);
  try {
    for (const name of site.split('/')) {
      const entries = await above.entries();
      const inner = entries.length === 1 ? await above.enter(name) : undefined;
      if (!inner) return false;
      await above.close();
      above = inner;
    }
    return true;
  } finally {
    await above.close();
  }
}

async function isFolder(path: string): Promise<boolean> {
  const folder = await HeldFolder.open(path).catch(ignoreMissing);
  await folder?.close();
  return folder !== undefined;
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
