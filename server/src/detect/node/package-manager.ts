import type { SourceTree } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';
import { wantedVersion } from './manager-version.ts';

type Commands = {
  name: string;
  install: string;
  /** Installs exactly the lock file, or fails. */
  installLocked: string;
  run: string;
  /** Prefix of a tool that is installed in the app. */
  exec: string;
  /** Prefix of a tool that is installed at the workspace root. */
  execAtRoot: string;
};

export type PackageManager = Commands & { locked: boolean; version: string | null };

const manager = (name: string, frozen: string, exec: string, execAtRoot = exec): Commands => ({
  name,
  install: `${name} install`,
  installLocked: `${name} ${frozen}`,
  run: `${name} run`,
  exec,
  execAtRoot,
});

const managers = {
  pnpm: manager('pnpm', 'install --frozen-lockfile', 'pnpm exec'),
  'yarn-berry': manager('yarn', 'install --immutable', 'yarn run', 'yarn run -T'),
  'yarn-classic': manager('yarn', 'install --frozen-lockfile', 'yarn run'),
  bun: manager('bun', 'install --frozen-lockfile', 'bunx'),
  npm: manager('npm', 'ci', 'npx'),
};

/** In order of precedence: npm's is often left over after a switch. */
export const lockFiles = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
] as const;

type Name = (typeof lockFiles)[number][1];
const names = [...new Set(lockFiles.map(([, name]) => name))];

type Found = { manager: PackageManager; reasons: string[] };

/** Finds the package manager by lock file, then by package.json, then by usage. `tree` has the lock file. */
export async function findPackageManager(tree: SourceTree, pkg: PackageJson, where: string): Promise<Found> {
  const present = new Set(await tree.list(''));
  const locks = lockFiles.filter(([file]) => present.has(file));
  const wanted = names.find((name) => pkg.packageManager?.startsWith(`${name}@`) || pkg.packageManager === name);
  const lock = locks.find(([, name]) => name === wanted) ?? locks[0];
  const found = async (name: Name, reason: string): Promise<Found> => {
    const isBerry = name === 'yarn' && (await usesBerry(tree, present, pkg));
    const commands = name === 'yarn' ? managers[isBerry ? 'yarn-berry' : 'yarn-classic'] : managers[name];
    const version = (await wantedVersion(tree, pkg, name)) ?? (isBerry ? '4' : null);
    return { manager: { ...commands, locked: Boolean(lock), version }, reasons: [reason] };
  };
  if (lock) {
    const { manager, reasons } = await found(lock[1], `${lock[0]}${where}: ${lock[1]}`);
    const others = locks.filter((each) => each[1] !== lock[1]).map(([file]) => file);
    if (others.length) reasons.push(`${others.join(', ')}: ignored, because ${lock[0]} exists too`);
    return { manager, reasons };
  }
  if (wanted) return await found(wanted, `packageManager ${pkg.packageManager}: ${wanted}`);
  const engine = names.find((name) => pkg.engines.has(name) && name !== 'npm');
  if (engine) return await found(engine, `engines: ${engine}`);
  const tool = names.find((name) => pkg.tools.has(name));
  if (tool) return await found(tool, `devEngines: ${tool}`);
  if (usesBun(present, pkg)) return await found('bun', 'no lock file, but scripts or settings for Bun: bun');
  return await found('npm', 'no lock file: npm, which comes with Node');
}

const usesBun = (present: Set<string>, pkg: PackageJson) =>
  present.has('bunfig.toml') ||
  pkg.allDependencies.has('@types/bun') ||
  pkg.allDependencies.has('bun-types') ||
  [...pkg.scripts.values()].some((script) => /^bunx? /.test(script));

/** Yarn 1 and later versions share name and lock file, but have different commands. */
async function usesBerry(tree: SourceTree, present: Set<string>, pkg: PackageJson): Promise<boolean> {
  const major = /^yarn@(\d+)/.exec(pkg.packageManager ?? '')?.[1];
  if (major) return Number(major) > 1;
  if (present.has('.yarnrc.yml')) return true;
  return /^__metadata:/m.test((await tree.read('yarn.lock')) ?? '');
}
