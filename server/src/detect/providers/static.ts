import type { Provider, SourceTree } from '../detect.ts';
import { siteFolder } from '../site-folder.ts';
import { insidePath } from '../sub-tree.ts';
import { yamlScalar } from '../yaml-outline.ts';

export const staticSite: Provider = {
  name: 'static',
  looksFor: 'index.html',
  isWeak: true,
  async detect(tree) {
    const named = await namedFolder(tree);
    const folder = named ?? (await siteFolder(tree));
    if (folder !== undefined) {
      const kind = folder === '.' || named ? 'a static site' : 'a static site that is already built';
      const file = named ? 'Staticfile' : folder === '.' ? 'index.html' : `${folder}/index.html`;
      return {
        framework: 'static',
        language: 'html',
        outputDirectory: folder,
        fallback: named && (await isForBrowsers(tree)) ? 'index.html' : null,
        reasons: [`${file}: ${kind}, served from ${folder === '.' ? 'the root' : folder}`],
      };
    }
    const page = await tree.read('index.html');
    return page === undefined
      ? undefined
      : {
          reasons: ['index.html loads source code that must be built first, but there is no package.json'],
        };
  },
};

/** A Staticfile names the folder with `root: folder`; default: the root. */
async function namedFolder(tree: SourceTree): Promise<string | undefined> {
  const file = await tree.read('Staticfile');
  const folder = file === undefined ? undefined : insidePath(yamlScalar(file, 'root') ?? '.');
  if (folder === undefined || !(await tree.list(folder)).length) return undefined;
  return folder || '.';
}

/** Whether a Staticfile enables client-side routing. */
async function isForBrowsers(tree: SourceTree): Promise<boolean> {
  const file = (await tree.read('Staticfile')) ?? '';
  return [yamlScalar(file, 'index_fallback'), yamlScalar(file, 'pushstate')].some((said) =>
    /^(true|enabled)$/.test(said ?? ''),
  );
}
