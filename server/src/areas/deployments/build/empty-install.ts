import { z } from '../../../lib/zod/index.ts';
import { withSource } from '../contents/source.ts';

const mostBytes = 1_000_000;
const names = z.record(z.string(), z.unknown()).optional();
const PackageFile = z.object({
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  workspaces: z.unknown().optional(),
});
type PackageFile = z.infer<typeof PackageFile>;

/** Files that make `npm install` do something even without dependencies. */
const reasons = ['package-lock.json', 'npm-shrinkwrap.json', 'binding.gyp', '.npmrc'];
const lifecycle = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/** Whether `npm install` has nothing to do; running it takes half a second to find that out. */
export async function hasNothingToInstall(release: string, rootDirectory: string): Promise<boolean> {
  // A workspace folder may have its dependencies elsewhere.
  const found = rootDirectory ? undefined : await packageIn(release);
  if (!found || found.workspaces !== undefined) return false;
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, scripts = {} } = found;
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  if (Object.keys(all).length || lifecycle.some((name) => name in scripts)) return false;
  const there = await Promise.all(reasons.map((name) => withSource(release, name, async (opened) => opened)));
  return there.every((each) => each === undefined);
}

async function packageIn(release: string): Promise<PackageFile | undefined> {
  const text = await withSource(release, 'package.json', async (opened) => {
    if (opened?.kind !== 'file' || (await opened.file.stat()).size > mostBytes) return undefined;
    return opened.file.readFile('utf8');
  });
  if (text === undefined) return undefined;
  try {
    return PackageFile.safeParse(JSON.parse(text)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
