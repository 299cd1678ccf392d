import type { Provider, SourceTree } from '../detect.ts';

/** Where a page may be, `''` first: a site as it is, then the folders that tools leave their results in. */
const folders = ['', 'public', 'dist', 'build', 'docs', '_site'];

/** The folder of a site that is ready to be served (`.` for the root); undefined when there is none. */
export async function siteFolder(tree: SourceTree): Promise<string | undefined> {
  for (const folder of folders) {
    const page = await tree.read(folder ? `${folder}/index.html` : 'index.html');
    if (page !== undefined && !loadsSource(page)) return folder || '.';
  }
  return undefined;
}

export const staticSite: Provider = {
  name: 'static',
  looksFor: `index.html in the root or in ${folders.filter(Boolean).join(', ')}`,
  async detect(tree) {
    const folder = await siteFolder(tree);
    if (folder !== undefined) {
      const reason =
        folder === '.' ? 'index.html: a static site' : `${folder}/index.html: a static site that is built already`;
      return {
        framework: 'static',
        language: 'html',
        outputDirectory: folder,
        reasons: [`${reason}, served from ${folder === '.' ? 'the root' : folder}`],
      };
    }
    const page = await tree.read('index.html');
    return page === undefined
      ? undefined
      : {
          reasons: [
            'index.html loads source code that has to be built first, and there is no package.json that says how',
          ],
        };
  },
};

/** A bundler's entry page, not a finished one: browsers cannot run what it loads. */
const loadsSource = (page: string) =>
  /<script[^>]{0,200}\ssrc=["'][^"']{1,200}\.(tsx?|jsx|mts|vue|svelte)["']/i.test(page);
