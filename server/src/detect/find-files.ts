import type { SourceTree } from './detect.ts';

const skipped =
  /^(\.|node_modules\/|vendor\/|target\/|build\/|dist\/|bin\/|obj\/|venv\/|env\/|site-packages\/|__pycache__\/|deps\/|_build\/|tests?\/)/;

/** Returns files with matching names, nearest to the root first, within limits. */
export async function findFiles(
  tree: SourceTree,
  passes: (name: string) => boolean,
  { depth, limit = 20, maxFolders = 80 }: { depth: number; limit?: number; maxFolders?: number },
): Promise<string[]> {
  const found: string[] = [];
  let level = [''];
  let looked = 0;
  for (let at = 0; at <= depth && level.length && found.length < limit; at++) {
    const below: string[] = [];
    for (const folder of level) {
      if (looked++ >= maxFolders) return found.slice(0, limit);
      for (const name of await tree.list(folder)) {
        const path = folder ? `${folder}/${name}` : name;
        if (!name.endsWith('/')) {
          if (passes(name)) found.push(path);
        } else if (!skipped.test(name)) below.push(path.slice(0, -1));
      }
    }
    level = below;
  }
  return found.slice(0, limit);
}
