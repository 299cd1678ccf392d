import type { SourceTree } from './detect.ts';

/** Folders of a page: the root, then usual build outputs. */
const siteFolders = ['', 'public', 'dist', 'build', 'docs', '_site'];

/** Returns the folder of a ready site (`.` for the root); undefined if there is none. */
export async function siteFolder(tree: SourceTree): Promise<string | undefined> {
  for (const folder of siteFolders) {
    const page = await tree.read(folder ? `${folder}/index.html` : 'index.html');
    if (page !== undefined && !loadsSource(page)) return folder || '.';
  }
  return undefined;
}

/** A bundler's entry page, which browsers cannot run. */
const loadsSource = (page: string) =>
  /<script[^>]{0,200}\ssrc=["'][^"']{1,200}\.(tsx?|jsx|mts|vue|svelte)["']/i.test(page);
