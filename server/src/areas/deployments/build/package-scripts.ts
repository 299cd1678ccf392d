import { join, posix } from 'node:path';
import { z } from 'zod';
import { withSource } from '../contents/source.ts';

const mostBytes = 1_000_000;
const names = z.record(z.string(), z.unknown()).optional();
const PackageFile = z.object({
  name: z.string().optional(),
  version: z.string().optional(),
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: names,
  devDependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
  workspaces: z.unknown().optional(),
});
type PackageFile = z.infer<typeof PackageFile>;

/** Where an app is: the release, and the app's folder in it. */
type Place = { release: string; rootDirectory: string };

/** Files that make `npm install` do something although nothing depends on anything. */
const reasons = ['package-lock.json', 'npm-shrinkwrap.json', 'binding.gyp', '.npmrc'];
const lifecycle = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare'];

/** Whether `npm install` would find nothing to do; it takes half a second to find that out. */
export async function hasNothingToInstall({ release, rootDirectory }: Place): Promise<boolean> {
  const found = rootDirectory ? undefined : await packageIn({ release, rootDirectory });
  if (!found || found.workspaces !== undefined) return false;
  const { dependencies, devDependencies, optionalDependencies, peerDependencies, scripts = {} } = found;
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies, ...peerDependencies };
  if (Object.keys(all).length || lifecycle.some((name) => name in scripts)) return false;
  const there = await Promise.all(reasons.map((name) => withSource(release, name, async (opened) => opened)));
  return there.every((each) => each === undefined);
}

/** How a script of `package.json` is started without its package manager, which would stay beside the app with 50 MB. Undefined
 * where that would not be the same: for other commands, and for scripts with others before or after them. */
export async function directStart(place: Place, command: string) {
  const name = /^(?:npm start|(?:npm|pnpm) run ([\w:-]+))$/.exec(command.trim());
  if (!name) return undefined;
  const script = name[1] ?? 'start';
  const found = await packageIn(place);
  const text = found?.scripts?.[script];
  if (!found || typeof text !== 'string' || !text.trim()) return undefined;
  if (`pre${script}` in found.scripts! || `post${script}` in found.scripts!) return undefined;
  return {
    command: text,
    programs: programsOf(place),
    env: {
      npm_lifecycle_event: script,
      ...(found.name && { npm_package_name: found.name }),
      ...(found.version && { npm_package_version: found.version }),
    },
  };
}

/** As package managers have it: those of the app first, then those of the folders around it. */
function programsOf({ release, rootDirectory }: Place): string[] {
  const folders: string[] = [];
  for (let path = posix.normalize(rootDirectory || '.'); ; path = posix.dirname(path)) {
    folders.push(join(release, path, 'node_modules/.bin'));
    if (path === '.' || path === '/') return folders;
  }
}

async function packageIn({ release, rootDirectory }: Place): Promise<PackageFile | undefined> {
  const text = await withSource(release, join(rootDirectory, 'package.json'), async (opened) => {
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
