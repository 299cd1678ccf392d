import { rangeAllows } from '../../../../detect/version-range.ts';
import { findProgram, systemPath, versionOf } from '../../../../drivers/toolchain/machine-programs.ts';
import { NpmRegistryError } from '../../../../drivers/toolchain/npm-registry.ts';
import { displayNames, isToolName, type Tool, type ToolName } from '../../../../drivers/toolchain/tools.ts';
import { StepError } from '../../model/model.ts';
import type { Parts } from '../../model/parts.ts';
import type { RecipeNeeds, Recipe } from '../../model/recipe.ts';
import type { StepContext } from '../../model/step.ts';
import { programsIn } from './command-words.ts';

/** `path` has the folders that the app's user can enter. */
export type ToolContext = Pick<StepContext, 'log' | 'signal'> & { parts: Pick<Parts, 'tools'>; path: string };

/** Versions of tools whose version the source does not name. */
const usual: Record<ToolName, string> = { node: '22', npm: '10', pnpm: '10', yarn: '1', bun: '1', deno: '2' };
/** The npm that comes with each Node, by major versions, newest first. */
const npmOfNode: [node: number, npm: string][] = [
  [24, '11'],
  [18, '10'],
  [15, '8'],
  [0, '6'],
];

const runtimes: readonly ToolName[] = ['node', 'bun', 'deno'];
const besideNode = new Set(['node', 'npm', 'npx', 'pnpm', 'pnpx', 'yarn']);
const programOf: Record<string, string> = { npx: 'npm', pnpx: 'pnpm', bunx: 'bun' };

const isJavaScript = (language: string | null) => language === 'javascript' || language === 'typescript';

/** Whether commands of the app run in Node.js. */
export function needsNode(recipe: Recipe): boolean {
  const { language = null, packageManager = null } = recipe.needs ?? {};
  if (packageManager === 'deno') return false;
  return isJavaScript(language) || programsIn(recipe).some((program) => besideNode.has(program));
}

/** Chooses Node.js and the package managers that the app needs, and downloads those that this machine lacks. */
export async function nodeTools(context: ToolContext, recipe: Recipe): Promise<Tool[]> {
  if (!recipe.needs) return [];
  const { packageManager, otherLanguages = [] } = recipe.needs;
  const named = new Set([packageManager ?? '', ...otherLanguages, ...programsIn(recipe)]);
  const names = new Set([...named].map((each) => programOf[each] ?? each).filter(isToolName));
  const tools: Tool[] = [];
  const add = (tool: Tool | undefined) => tool && tools.push(tool);
  for (const name of names.difference(new Set(['node', 'npm'])))
    add(await chooseManager(context, recipe.needs, name, { isNamed: true }));
  if (!needsNode(recipe)) return tools;
  const node = await chooseNode(context, recipe.needs, tools);
  add(node.tool);
  // Scripts of other package managers often call npm, which comes with every Node.
  add(await chooseManager(context, recipe.needs, 'npm', { isNamed: names.has('npm'), node }));
  return tools;
}

/** The version and, unless the machine has it, the tool. */
type ChosenNode = { version: string; tool?: Tool };

/**
 * Prefers the machine's Node, then the one that Mooring brings along, then a downloaded one; and of those that the app
 * accepts, one that its package managers run on.
 */
async function chooseNode(
  { parts, log, signal }: ToolContext,
  needs: RecipeNeeds,
  managers: readonly Tool[],
): Promise<ChosenNode> {
  // The version of a Bun or PHP app is not one of Node.
  const isOwn = isJavaScript(needs.language) && needs.packageManager !== 'bun';
  const request = isOwn ? needs.languageRequest : null;
  const why = request ? `, as ${request.from} asks for (${request.said})` : '';
  const program = findProgram('node', systemPath);
  const machine = program && (await versionOf(program));
  const { node: own } = process.versions;
  const fits = (version: string) => !request || rangeAllows(request.range, version);
  const ranges = await Promise.all(managers.map((each) => parts.tools.nodeRangeOf(each)));
  const runsAll = (version: string) => ranges.every((range) => !range || rangeAllows(range, version));
  const near = [...(machine ? [machine] : []), own].filter(fits);
  const chosen = near.find(runsAll) ?? near[0];
  if (machine && chosen === machine) {
    log(`Node.js ${machine} of this machine${why}`);
    return { version: machine };
  }
  if (chosen) {
    const tool: Tool = `node@${own}`;
    await parts.tools.adopt(tool, process.execPath);
    log(`Node.js ${own} of Mooring${why}`);
    return { version: own, tool };
  }
  const wanted = needs.languageVersion ?? usual.node;
  const tried = [machine && `this machine has ${machine}`, `Mooring brings ${own}`].filter(Boolean).join(' and ');
  const { url } = parts.tools.registry;
  const refuse = (reason: string, first = '') =>
    new StepError(
      'no_toolchain',
      `The app needs Node.js ${wanted} (${request!.from}: ${request!.said}). ${capital(tried)}, and ${reason}`,
      capital(`${first}change ${request!.from}, or install Node.js ${wanted} in /usr/local/bin.`),
    );
  const began = Date.now();
  const found = await parts.tools.provide('node', wanted, signal).catch((error: unknown) => {
    throw error instanceof NpmRegistryError ? refuse(error.message, `${reach(url)}, `) : error;
  });
  if (!found) throw refuse(`${url} has no Node.js ${wanted} for this machine`);
  const { version, tool, isNew } = found;
  log(`Node.js ${version}${why}${isNew ? downloaded(began) : ''}`);
  if (!fits(version)) log(`Node.js ${wanted} is not in the registry; the app gets ${version}`, 'warn');
  return { version, tool };
}

const reach = (url: string) => `check that this machine reaches ${url}, set MOORING_NPM_REGISTRY to a mirror`;
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);
const downloaded = (began: number) => `; downloaded in ${Math.max(1, Math.round((Date.now() - began) / 1000))} s`;

class NotPublishedError extends NpmRegistryError {}

/** Undefined if the machine's own program is used. */
async function chooseManager(
  { parts, log, signal, path }: ToolContext,
  needs: RecipeNeeds,
  name: ToolName,
  { isNamed, node }: { isNamed: boolean; node?: ChosenNode },
): Promise<Tool | undefined> {
  const title = displayNames[name];
  const isRequested = name === needs.packageManager;
  const version = runtimes.includes(name) ? needs.languageVersion : null;
  const request = isRequested ? (version ?? needs.packageManagerVersion) : null;
  const machine = findProgram(name, `${systemPath}:${path}`);
  // npm belongs to its Node; a range of npm versions is too seldom meant to download another one.
  if (name === 'npm' && machine && node && !node.tool && !/^\d+\.\d+\.\d+/.test(request ?? '')) return undefined;
  const wanted = request ?? (name === 'npm' && node ? npmFor(node.version) : usual[name]);
  const { url } = parts.tools.registry;
  const began = Date.now();
  try {
    const found = await parts.tools.provide(name, wanted, signal);
    if (!found) throw new NotPublishedError(`${url} has no ${title} ${wanted} for this machine`);
    const why = request ? `, as the source asks for (${request})` : '';
    log(`${title} ${found.version}${why}${found.isNew ? downloaded(began) : ''}`);
    return found.tool;
  } catch (error) {
    if (!(error instanceof NpmRegistryError)) throw error;
    if (!isNamed) return undefined;
    if (machine) {
      log(`${title} ${wanted} cannot be downloaded: ${error.message}. ${machine} of this machine is used`, 'warn');
      return undefined;
    }
    throw new StepError(
      'no_toolchain',
      `The app needs ${title} ${wanted}, which this machine does not have: ${error.message}`,
      error instanceof NotPublishedError
        ? `Change the version of ${title} in package.json, or install ${title} ${wanted} in /usr/local/bin.`
        : capital(`${reach(url)}, or install ${title} ${wanted} in /usr/local/bin.`),
    );
  }
}

const npmFor = (node: string): string => npmOfNode.find(([major]) => Number.parseInt(node, 10) >= major)![1];
