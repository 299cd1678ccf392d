import type { Workspace } from '../detect.ts';
import { insidePath } from '../sub-tree.ts';
import { buildScripts, type NodeApp } from './app.ts';
import { oldHashes } from './legacy.ts';
import { isSiteShape } from './framework.ts';
import type { Framework, ServerShape, AppShape } from './framework.ts';
import { fullStackFrameworks } from './full-stack.ts';
import { platformFrameworks } from './platforms.ts';
import { serverFrameworks } from './servers.ts';
import { preparation } from './preparation.ts';
import { lastSiteFrameworks, siteFrameworks } from './sites.ts';
import { startProgram } from './start-program.ts';
import { entryCommand, isForServers, portInCommand, runsProgram, startsDevelopment } from './start.ts';
import { dependencyBuilds } from './workspace-builds.ts';

/** In order of precedence: frameworks that contain others come first. */
const frameworks: Framework[] = [
  ...platformFrameworks,
  ...fullStackFrameworks,
  ...siteFrameworks,
  ...serverFrameworks,
  ...lastSiteFrameworks,
];

const plainShape: AppShape = { port: 3000 };
const plainBun: Framework = { id: 'bun', name: 'Bun', packages: [], shape: plainShape };
const plain: Framework = { id: 'node', name: 'Node.js', packages: [], shape: plainShape };

/** Whether only the runtime is known. */
export const isRuntimeOnly = (framework: Framework): boolean => framework === plain || framework === plainBun;

/** How it is built and served; null for parts that do not apply. */
export interface NodePlan {
  build: string | null;
  start: string | null;
  /** Program of the start script, if it is a single one. */
  program: string | null;
  output: string | null;
  fallback: string | null;
  port: number | null;
  /** File that looks like the entry, but only exports. */
  exporting?: string;
}

/** Returns the first matching framework, else Node.js itself. */
export async function findFramework(app: NodeApp): Promise<{ framework: Framework; shape: AppShape }> {
  // A start script with the app's own program overrides a site: that program serves the files.
  const ownProgram = await runsProgram(app);
  for (const framework of frameworks.filter((each) => dependencyOf(app, each))) {
    const shape = typeof framework.shape === 'function' ? await framework.shape(app) : framework.shape;
    if (shape && !(isSiteShape(shape) && ownProgram)) return { framework, shape };
  }
  return { framework: app.manager.name === 'bun' ? plainBun : plain, shape: plainShape };
}

const dependencyOf = ({ pkg }: NodeApp, { packages, runtimeOnly }: Framework) =>
  packages.find((name) => (runtimeOnly ? pkg.dependencies : pkg.allDependencies).has(name));

/** Returns build and start by scripts, else by the framework's defaults. */
export async function makePlan(
  app: NodeApp,
  framework: Framework,
  shape: AppShape,
  workspace?: Workspace,
): Promise<NodePlan> {
  const built = await withDependencies(app, buildCommand(app, framework), workspace);
  const added = 'add' in shape ? [`${app.manager.add} ${shape.add}`] : [];
  const steps = [
    ...added,
    ...(await preparation(app)),
    ...(built ? [`${oldHashes(app.built, app.version)}${built}`] : []),
  ];
  const build = steps.join(' && ') || null;
  if (isSiteShape(shape)) {
    const output = insidePath(shape.output) === '' ? '.' : (insidePath(shape.output) ?? null);
    return { build, start: null, program: null, output, fallback: shape.fallback ?? null, port: null };
  }
  const { scripts } = app.pkg;
  const script = (framework.startScripts ?? ['start']).find((name) => isForServers(scripts.get(name) ?? 'wrangler'));
  const text = script ? scripts.get(script)! : '';
  const isUsed = script !== undefined && !(await startsDevelopment(app, text));
  const { command, exporting } = isUsed ? {} : await startWithoutScript(app, framework, shape, built !== null);
  // A development server is the last resort. Node.js runs TypeScript only in part, so such a command is no better.
  const isBetter = command !== undefined && !/^node \S+ts$/.test(command);
  const isLeft = script !== undefined && !isBetter && shape.start === undefined && !(isRuntimeOnly(framework) && built);
  const byScript = isUsed || isLeft;
  const start = byScript ? `${app.manager.run} ${script}` : (command ?? null);
  const port = portInCommand(byScript ? text : '') ?? shape.port;
  const program = byScript ? startProgram(app, script!) : null;
  return { build, start, program, output: null, fallback: null, port: start ? port : null, exporting };
}

async function startWithoutScript(app: NodeApp, framework: Framework, { start }: ServerShape, isBuilt: boolean) {
  if (start !== undefined) return { command: toolCommand(app, start) ?? undefined };
  // The `main` of a server may be a build output; any other package may be a library.
  return await entryCommand(app, !isRuntimeOnly(framework) && isBuilt);
}

function buildCommand(app: NodeApp, framework: Framework): string | null {
  const script = (framework.buildScripts ?? buildScripts).find((name) => app.pkg.scripts.has(name));
  if (!script) return toolCommand(app, framework.build ?? null);
  return `${app.manager.run} ${script}`;
}

/** Builds the members of a workspace that the app depends on first. */
async function withDependencies(app: NodeApp, build: string | null, workspace?: Workspace): Promise<string | null> {
  const script = build?.startsWith(`${app.manager.run} `) ? build.slice(app.manager.run.length + 1) : undefined;
  // In a member's folder, Turborepo also builds its dependencies.
  if (script && (await workspace?.tree.read('turbo.json')) !== undefined)
    return `${app.manager.execAtRoot} turbo run ${script}`;
  return [...(await dependencyBuilds(app, workspace)), ...(build ? [build] : [])].join(' && ') || null;
}

function toolCommand({ manager }: NodeApp, command: string | null): string | null {
  if (!command?.startsWith('node ')) return command && `${manager.exec} ${command}`;
  return command.replace('node', manager.node);
}

/** Returns one sentence about the plan. */
export function planSentence(
  app: NodeApp,
  framework: Framework,
  shape: AppShape,
  { build, start, output, fallback, exporting }: NodePlan,
): string {
  const dependency = dependencyOf(app, framework);
  const what = `${dependency ? `dependency ${dependency}` : 'package.json'}: ${framework.name}`;
  const parts = [shape.note ? `${what} (${shape.note})` : what];
  if (build) parts.push(`built with \`${build}\``);
  if (start) parts.push(`started with \`${start}\``);
  if (output) parts.push(`served from ${output}${fallback ? `, with ${fallback} for unknown paths` : ''}`);
  if (start || output) return parts.join(', ');
  if (isSiteShape(shape)) return `${parts.join(', ')}, but its output ${shape.output} is outside the app's folder`;
  if (shape.start === null) return `${parts.join(', ')}, but its build produces nothing to start`;
  if (exporting)
    return `${parts.join(', ')}, but there is nothing to start: ${exporting} only exports, as a library or a handler for another platform does. Add a start script that starts a server.`;
  const missing = 'no start script, no file of `main`, no server.js, index.js or app.js';
  return `${parts.join(', ')}, but there is nothing to start: ${missing}${build ? '' : ', nor a build script or an index.html'}`;
}
