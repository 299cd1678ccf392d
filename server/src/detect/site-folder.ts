import type { SourceTree } from './detect.ts';

/** Where a page may be, `''` first: a site as it is, then the folders that tools leave their results in. */
const siteFolders = ['', 'public', 'dist', 'build', 'docs', '_site'];

/** The folder of a site that is ready to be served (`.` for the root); undefined when there is none. */
export async function siteFolder(tree: SourceTree): Promise<string | undefined> {
  for (const folder of siteFolders) {
    const page = await tree.read(folder ? `${folder}/index.html` : 'index.html');
    if (page !== undefined && !loadsSource(page)) return folder || '.';
  }
  return undefined;
}

/** A bundler's entry page, not a finished one: browsers cannot run what it loads. */
const loadsSource = (page: string) =>
  /<script[^>]{0,200}\ssrc=["'][^"']{1,200}\.(tsx?|jsx|mts|vue|svelte)["']/i.test(page);
