import type { SourceTree, Workspace } from '../detect.ts';
import type { PackageJson } from '../package-json.ts';
import { yamlScalar } from '../yaml-outline.ts';
import { staleDependency } from './stale-lock.ts';
import { publishedYarn, wantedVersion } from './manager-version.ts';

type Commands = {
  name: string;
  /** Installs without a lock file, or with one that may change, also where `CI` is set. */
  install: string;
  /** Installs exactly the lock file, or fails. */
  installLocked: string;
  run: string;
  /** Prefix of a tool that is installed in the app. */
  exec: string;
  /** Prefix of a tool that is installed at the workspace root. */
  execAtRoot: string;
  /** Adds a package to the build without changing the lock file of the source. */
  add: string;
  /** Runs a JavaScript file. */
  node: string;
};

export type PackageManager = Commands & { locked: boolean; version: string | null };

const manager = (name: string, frozen: string, exec: string, others: Partial<Commands> = {}): Commands => ({
  name,
  install: `${name} install`,
  installLocked: `${name} ${frozen}`,
  run: `${name} run`,
  exec,
  execAtRoot: exec,
  add: `${name} add -D`,
  node: 'node',
  ...others,
});

const berry = manager('yarn', 'install --immutable', 'yarn run', {
  install: 'yarn install --no-immutable',
  execAtRoot: 'yarn run -T',
});
// Plug'n'Play reads packages from archives, which have to be in the app's folder, and needs a hook in Node.js.
const nearArchives = 'YARN_ENABLE_GLOBAL_CACHE=false';

const managers = {
  pnpm: manager('pnpm', 'install --frozen-lockfile', 'pnpm exec', {
    install: 'pnpm install --no-frozen-lockfile',
    add: 'pnpm add -D --ignore-workspace-root-check',
  }),
  'yarn-berry': berry,
  'yarn-pnp': {
    ...berry,
    install: `${nearArchives} ${berry.install}`,
    installLocked: `${nearArchives} ${berry.installLocked}`,
    add: `${nearArchives} ${berry.add}`,
    node: 'yarn node',
  },
  'yarn-classic': manager('yarn', 'install --frozen-lockfile', 'yarn run'),
  bun: manager('bun', 'install --frozen-lockfile', 'bunx', { node: 'bun' }),
  npm: manager('npm', 'ci', 'npx', { add: 'npm install --no-save' }),
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

type Found = { manager: PackageManager; reasons: string[]; warnings: string[] };

/** Where the lock file is, and the members of its workspace. */
type LockPlace = { where: string; members?: Workspace['members'] | undefined };

/** Finds the package manager by lock file, then by package.json, then by usage. `tree` has the lock file. */
export async function findPackageManager(
  tree: SourceTree,
  pkg: PackageJson,
  { where, members }: LockPlace,
): Promise<Found> {
  const present = new Set(await tree.list(''));
  const locks = lockFiles.filter(([file]) => present.has(file));
  const field = names.find((name) => pkg.packageManager?.startsWith(`${name}@`) || pkg.packageManager === name);
  const allowed = names.find((name) => name === /\bonly-allow (\w+)/.exec(pkg.scripts.get('preinstall') ?? '')?.[1]);
  const lock = locks.find(([, name]) => name === (field ?? allowed)) ?? locks[0];
  const found = async (name: Name, reason: string): Promise<Found> => {
    const isBerry = name === 'yarn' && (await usesBerry(tree, present, pkg));
    const commands = managers[name === 'yarn' ? (isBerry ? await linker(tree) : 'yarn-classic') : name];
    const wanted = await wantedVersion(tree, pkg, name);
    // `>=1.15` of engines also allows a Yarn whose commands and lock file are different.
    const isOther = name === 'yarn' && wanted !== null && /^1(\.|$)/.test(wanted) === isBerry;
    const fitting = isOther ? null : wanted;
    const version = isBerry ? await publishedYarn(tree, fitting ?? '4') : fitting;
    return { manager: { ...commands, locked: Boolean(lock), version }, reasons: [reason], warnings: [] };
  };
  if (lock) {
    const { manager, reasons } = await found(lock[1], `${lock[0]}${where}: ${lock[1]}`);
    const stale = await staleDependency(tree, lock[0], (await members?.()) ?? []);
    const warnings = stale === undefined ? [] : [staleWarning(lock[0], stale, manager)];
    const others = locks.filter((each) => each[1] !== lock[1]).map(([file]) => file);
    if (others.length) reasons.push(`${others.join(', ')}: ignored, because ${lock[0]} exists too`);
    return { manager: { ...manager, locked: !stale }, reasons: [...reasons, ...warnings], warnings };
  }
  if (field) return await found(field, `packageManager ${pkg.packageManager}: ${field}`);
  if (allowed) return await found(allowed, `preinstall script: only ${allowed}`);
  const engine = names.find((name) => pkg.engines.has(name) && name !== 'npm');
  if (engine) return await found(engine, `engines: ${engine}`);
  const tool = names.find((name) => pkg.tools.has(name));
  if (tool) return await found(tool, `devEngines: ${tool}`);
  if (usesBun(present, pkg)) return await found('bun', 'no lock file, but scripts or settings for Bun: bun');
  return await found('npm', 'no lock file: npm, which comes with Node');
}

const staleWarning = (file: string, dependency: string, { name, install }: PackageManager) =>
  `${file} and package.json disagree about ${dependency}, so versions may change between deployments ` +
  `(\`${install}\`). Run \`${name} install\` and commit ${file}.`;

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

/** Plug'n'Play is the default of later Yarn versions. */
const linker = async (tree: SourceTree) =>
  /^(node-modules|pnpm)$/.test(yamlScalar((await tree.read('.yarnrc.yml')) ?? '', 'nodeLinker') ?? '')
    ? 'yarn-berry'
    : 'yarn-pnp';
