import type { Provider, SourceTree } from '../detect.ts';
import type { NodeApp } from '../node/app.ts';
import { isSite } from '../node/framework.ts';
import type { Framework, Server, Shape } from '../node/framework.ts';
import { fullStack } from '../node/full-stack.ts';
import { findPackageManager } from '../node/package-manager.ts';
import { servers } from '../node/servers.ts';
import { sites } from '../node/sites.ts';
import { entryCommand, isForDevelopment, portIn, runsProgram } from '../node/start.ts';
import { readPackage } from '../package-json.ts';
import { insidePath } from '../sub-tree.ts';
import { siteFolder } from './static.ts';

/** In the order of precedence: what contains another comes first. */
const frameworks: Framework[] = [...fullStack, ...sites, ...servers];

const plainShape: Shape = { port: 3000 };
const plain: Framework = { id: 'node', name: 'Node.js', packages: [], shape: plainShape };

/** How it is built and served, with the parts that do not apply left null. */
interface Plan {
  build: string | null;
  start: string | null;
  output: string | null;
  fallback: string | null;
  port: number | null;
}

export const node: Provider = {
  name: 'node',
  looksFor: 'package.json',
  async detect(tree, workspace) {
    const pkg = await readPackage(tree);
    if (!pkg) return undefined;
    if (pkg.problem) return { reasons: [`package.json ${pkg.problem}: nothing could be read from it`] };
    const lockedIn = (workspace && (await readPackage(workspace))) ?? pkg;
    const { manager, reasons } = await findPackageManager(
      workspace ?? tree,
      lockedIn,
      workspace ? ' of the workspace' : '',
    );
    const app: NodeApp = { tree, names: new Set(await tree.list('')), pkg, manager };
    const { framework, shape } = await findFramework(app);
    const plan = await makePlan(app, framework, shape, workspace);
    if (framework === plain && !plan.start) {
      const page = await siteFolder(tree);
      // A page beside a package.json that only lists tools: the static provider knows what to do.
      if (page !== undefined && !plan.build) return undefined;
      plan.output = page ?? null;
    }
    const typed = app.names.has('tsconfig.json') || pkg.allDependencies.has('typescript');
    return {
      framework: plan.build || plan.start || framework !== plain ? framework.id : null,
      language: typed ? 'typescript' : 'javascript',
      packageManager: manager.name,
      installCommand: manager.locked ? manager.installLocked : manager.install,
      buildCommand: plan.build,
      startCommand: plan.start,
      outputDirectory: plan.output,
      fallback: plan.fallback,
      port: plan.port,
      reasons: [...reasons, explain(app, framework, shape, plan)],
    };
  },
};

async function findFramework(app: NodeApp): Promise<{ framework: Framework; shape: Shape }> {
  // A start script that runs the app's own program wins over a site: that program serves the files.
  const ownProgram = runsProgram(app.pkg.scripts.get('start'));
  for (const framework of frameworks.filter((each) => dependencyOf(app, each))) {
    const shape = typeof framework.shape === 'function' ? await framework.shape(app) : framework.shape;
    if (shape && !(isSite(shape) && ownProgram)) return { framework, shape };
  }
  return { framework: plain, shape: plainShape };
}

const dependencyOf = ({ pkg }: NodeApp, { packages, runtimeOnly }: Framework) =>
  packages.find((name) => (runtimeOnly ? pkg.dependencies : pkg.allDependencies).has(name));

async function makePlan(app: NodeApp, framework: Framework, shape: Shape, workspace?: SourceTree): Promise<Plan> {
  const build = await buildCommand(app, framework, workspace);
  if (isSite(shape)) {
    const output = insidePath(shape.output) === '' ? '.' : (insidePath(shape.output) ?? null);
    return { build, start: null, output, fallback: shape.fallback ?? null, port: null };
  }
  const { scripts } = app.pkg;
  const script = (framework.startScripts ?? ['start']).find(
    (name) => scripts.has(name) && !(shape.start && isForDevelopment(scripts.get(name)!)),
  );
  const start = script
    ? `${app.manager.run} ${script}`
    : await startWithoutScript(app, framework, shape, build !== null);
  const port = portIn(script ? scripts.get(script)! : '') ?? shape.port;
  return { build, start, output: null, fallback: null, port: start ? port : null };
}

async function startWithoutScript(app: NodeApp, framework: Framework, { start }: Server, isBuilt: boolean) {
  if (start !== undefined) return toolCommand(app, start);
  // What a server library's package has in `main` may come out of the build; any other package may be a library.
  return (await entryCommand(app, framework !== plain && isBuilt)) ?? null;
}

async function buildCommand(app: NodeApp, framework: Framework, workspace?: SourceTree): Promise<string | null> {
  const script = (framework.buildScripts ?? ['build']).find((name) => app.pkg.scripts.has(name));
  if (!script) return toolCommand(app, framework.build ?? null);
  // Turborepo, called in a member's folder, builds the packages that it depends on first.
  const turbo = (await workspace?.read('turbo.json')) !== undefined;
  return turbo ? `${app.manager.execAtRoot} turbo run ${script}` : `${app.manager.run} ${script}`;
}

function toolCommand({ manager }: NodeApp, command: string | null): string | null {
  if (!command?.startsWith('node ')) return command && `${manager.exec} ${command}`;
  // Where Bun is, Node need not be.
  return manager.name === 'bun' ? command.replace('node', 'bun') : command;
}

function explain(app: NodeApp, framework: Framework, shape: Shape, { build, start, output, fallback }: Plan): string {
  const dependency = dependencyOf(app, framework);
  const what = `${dependency ? `dependency ${dependency}` : 'package.json'}: ${framework.name}`;
  const parts = [shape.note ? `${what} (${shape.note})` : what];
  if (build) parts.push(`built with \`${build}\``);
  if (start) parts.push(`started with \`${start}\``);
  if (output) parts.push(`served from ${output}${fallback ? `, with ${fallback} for paths without a file` : ''}`);
  if (start || output) return parts.join(', ');
  if (isSite(shape)) return `${parts.join(', ')}, but its output ${shape.output} is outside of the app's folder`;
  if (shape.start === null) return `${parts.join(', ')}, but nothing to start comes out of it`;
  const missing = 'no start script, no file that `main` names, no server.js, index.js or app.js';
  return `${parts.join(', ')}, but there is nothing to start: ${missing}${build ? '' : ', nor a build script or an index.html'}`;
}
