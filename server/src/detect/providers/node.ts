import { isBuiltin } from 'node:module';
import type { DetectFinding, Provider, SourceTree, Workspace } from '../detect.ts';
import { withoutComments } from '../json.ts';
import type { NodeApp } from '../node/app.ts';
import { installFiles } from '../node/install-files.ts';
import { builtPackages } from '../node/legacy.ts';
import { oldestNode, pnpmFor } from '../node/manager-version.ts';
import { findPackageManager, type PackageManager } from '../node/package-manager.ts';
import { planSentence, findFramework, isRuntimeOnly, makePlan } from '../node/plan.ts';
import { calledScripts, scriptTools } from '../node/script-tools.ts';
import { systemPackages } from '../node/system-packages.ts';
import { outputNamed } from '../node/start.ts';
import { runtimeVersion } from '../node/versions.ts';
import { readPackage, type PackageJson } from '../package-json.ts';
import { siteFolder } from '../site-folder.ts';

export const node: Provider = {
  name: 'node',
  looksFor: 'package.json',
  async detect(tree, workspace) {
    const pkg = await readPackage(tree);
    if (!pkg) return await withoutPackage(tree);
    if (pkg.problem) return { reasons: [`package.json ${pkg.problem}: nothing could be read from it`] };
    const { app, reasons, finding } = await lookAt(tree, pkg, workspace);
    const { framework, shape } = await findFramework(app);
    const plan = await makePlan(app, framework, shape, workspace);
    if (isRuntimeOnly(framework) && !plan.start) {
      const page = await siteFolder(tree);
      // Leaves a page with a tools-only package.json to the static provider.
      if (page !== undefined && !plan.build) return undefined;
      const script = pkg.scripts.get('build') ?? '';
      // Scripts may call tools other than Node.js, which have their own provider.
      if (otherTools.test(script)) return { reasons };
      plan.output = page ?? outputNamed(script) ?? null;
    }
    return {
      ...finding,
      framework: plan.build || plan.start || !isRuntimeOnly(framework) ? framework.id : null,
      language: (await isTyped(app)) ? 'typescript' : 'javascript',
      otherLanguages: [...scriptTools(app), ...(needsNode(app, framework.id) ? ['javascript'] : [])],
      buildCommand: plan.build,
      startCommand: plan.start,
      startProgram: plan.program,
      outputDirectory: plan.output,
      fallback: plan.fallback,
      port: plan.port,
      reasons: [...reasons, planSentence(app, framework, shape, plan)],
      adapt: (command) =>
        everywhere.test(command) ? command : `export PATH="$PWD/node_modules/.bin:$PATH"; ${command}`,
    };
  },
};

/** Tools of most frameworks are made for Node.js, also if Bun installs them. */
const needsNode = ({ manager, pkg }: NodeApp, framework: string) =>
  manager.name === 'bun' &&
  (!['bun', 'elysia', 'hono'].includes(framework) ||
    calledScripts(pkg.scripts).some((script) => /(?:^|[\s;&|(])(?:node|np[mx]|yarn|pnpm)\s/.test(script)));

const otherTools = /^(mkdocs|hugo|zola|jekyll|bundle|mdbook|pelican|sphinx-build|python3?|make)\b/;

// Programs that are found without the app's own tools.
const everywhere = /^(node|npm|npx|yarn|pnpm|bun|bunx|sh|bash|cd|exec|env|export|echo|\.{0,2}\/)(\s|$)|^\.{0,2}\//;

async function isTyped({ tree, names, pkg }: NodeApp): Promise<boolean> {
  if (names.has('tsconfig.json') || pkg.allDependencies.has('typescript')) return true;
  const sources = [...names, ...(await tree.list('src'))];
  return sources.some((name) => /^[\w-]+\.[cm]?tsx?$/.test(name));
}

/** Returns package manager, version and install, common to all frameworks. */
async function lookAt(tree: SourceTree, pkg: PackageJson, workspace?: Workspace) {
  const root = workspace?.tree;
  const lockedIn = (root && (await readPackage(root))) ?? pkg;
  const lock = { where: root ? ' of the workspace' : '', members: workspace?.members };
  const { manager: found, reasons, warnings } = await findPackageManager(root ?? tree, lockedIn, lock);
  const trees = root ? [tree, root] : [tree];
  const built = await builtPackages(tree, pkg);
  const version = await runtimeVersion(trees, built, found);
  const manager = fitting(found, version.languageVersion ?? null);
  const app: NodeApp = {
    tree,
    names: new Set(await tree.list('')),
    pkg,
    built,
    manager,
    version: version.languageVersion ?? null,
  };
  const finding: DetectFinding = {
    ...version,
    packageManager: manager.name,
    packageManagerVersion: manager.version,
    installCommand: `${manager.locked ? manager.installLocked : manager.install}${await leniently(root ?? tree, lockedIn, manager)}`,
    installFiles: await installFiles(tree, pkg, workspace),
    ...systemPackages(pkg),
    warnings: warnings.map((message) => ({ message, unlessVariables: [] })),
  };
  return { app, reasons: [...reasons, ...(version.reasons ?? [])], finding };
}

/** Node.js brings its npm along, which `engine-strict` would refuse if `engines.npm` is about another one. */
const leniently = async (tree: SourceTree, pkg: PackageJson, { name }: PackageManager) =>
  name === 'npm' && pkg.engines.has('npm') && /^\s*engine-strict\s*=\s*true/m.test((await tree.read('.npmrc')) ?? '')
    ? ' --engine-strict=false'
    : '';

/** An older pnpm where the source names an older Node.js. */
const fitting = (manager: PackageManager, node: string | null): PackageManager =>
  oldestNode(manager) <= Number.parseInt(node ?? '22', 10) ? manager : { ...manager, version: pnpmFor(node) };

/** A program without dependencies may have no package.json. */
async function withoutPackage(tree: SourceTree): Promise<DetectFinding | undefined> {
  const names = new Set(await tree.list(''));
  const file = ['server.js', 'server.mjs', 'index.js', 'index.mjs', 'app.js', 'main.js'].find((each) =>
    names.has(each),
  );
  // Next to a page such a file is a script of that page.
  if (!file || names.has('index.html')) return undefined;
  const source = withoutComments((await tree.read(file)) ?? '');
  const packages = packagesIn(source);
  if (packages.length)
    return {
      language: 'javascript',
      reasons: [
        `${file}: Node.js without a package.json, but it needs packages. Run \`npm install ${packages.join(' ')}\` and commit package.json and package-lock.json.`,
      ],
    };
  return {
    framework: 'node',
    language: 'javascript',
    startCommand: `node ${file}`,
    port: 3000,
    reasons: [`${file}: Node.js without a package.json, started with \`node ${file}\``],
  };
}

/** Returns the packages that a file loads, without the modules of Node.js. */
function packagesIn(source: string): string[] {
  const loaded = source.matchAll(
    /(?:\brequire\(\s*|\bfrom\s+|\bimport\s+)["']((?:@[\w.-]{1,80}\/)?[\w.-]{1,80})[\w./-]{0,200}["']/g,
  );
  const names = [...loaded].map(([, name]) => name!).filter((name) => !name.startsWith('.') && !isBuiltin(name));
  return [...new Set(names)].slice(0, 20);
}
