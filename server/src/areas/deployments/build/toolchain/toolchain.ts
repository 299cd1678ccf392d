import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { completeInstall } from '../../../../detect/node/complete-install.ts';
import { impassable } from '../../../../drivers/host/isolation.ts';
import { findProgram, machineHeaders, systemPath } from '../../../../drivers/toolchain/machine-programs.ts';
import { NpmRegistryError } from '../../../../drivers/toolchain/npm-registry.ts';
import { displayNames, partsOfTool } from '../../../../drivers/toolchain/tools.ts';
import type { Db } from '../../../../db/database.ts';
import type { Log } from '../../../../lib/log.ts';
import { StepError } from '../../model/model.ts';
import type { Parts } from '../../model/parts.ts';
import type { Recipe } from '../../model/recipe.ts';
import { serviceStatesOf } from '../../model/stack.ts';
import { selectStackServices } from '../../model/stack-store.ts';
import type { StepContext } from '../../model/step.ts';
import { checkMachine } from './machine-languages.ts';
import { needsNode, nodeTools } from './node-tools.ts';

/** Chooses the tools of an app that is built and run on this machine. Fails if something is missing. */
export async function chooseTools(context: StepContext, recipe: Recipe): Promise<string[]> {
  const { buildEnvironment } = context.parts;
  const { kind } = await context.parts.isolation;
  const folders = (buildEnvironment['PATH'] ?? '').split(':').filter((folder) => existsSync(folder));
  // Users of projects cannot enter a home, such as one with a pyenv.
  const open = kind === 'users' ? folders.filter((folder) => !impassable(folder)) : folders;
  const path = open.join(':');
  await checkMachine({ log: context.log, path }, recipe);
  return nodeTools({ ...context, path }, recipe);
}

/** What commands and apps need to use the tools. */
export interface OpenedTools {
  /** Folders that precede the others on the `PATH`. */
  programs: string[];
  /** Folders that the sandbox shows. */
  folders: string[];
  env: Record<string, string>;
}

const publicRegistry = 'https://registry.npmjs.org';
const requireMs = 300_000;

/** Opens the tools that a release was built with; downloads those that are gone. */
export async function openTools(
  { tools, buildEnvironment }: Pick<Parts, 'tools' | 'buildEnvironment'>,
  recipe: Recipe,
  names: readonly string[] = [],
  signal: AbortSignal = AbortSignal.timeout(requireMs),
): Promise<OpenedTools> {
  for (const each of names)
    await tools.require(each, signal).catch((error: unknown) => {
      if (!(error instanceof NpmRegistryError)) throw error;
      const { name, version } = partsOfTool(each);
      throw new StepError(
        'no_toolchain',
        `The release needs ${displayNames[name]} ${version}, which is no longer stored: ${error.message}`,
        'Check that this machine reaches the registry, or deploy again.',
      );
    });
  const node = names.find((each) => partsOfTool(each).name === 'node');
  const machineNode = node || !needsNode(recipe) ? undefined : findProgram('node', systemPath);
  const headers = node ? tools.headersOf(node) : machineNode && (await machineHeaders(machineNode));
  // Builds must use the Node that runs the app, even if another one precedes it on the `PATH` of Mooring.
  const isHidden = machineNode !== undefined && machineNode !== findProgram('node', buildEnvironment['PATH'] ?? '');
  return {
    programs: [...names.map((each) => tools.programsOf(each)), ...(isHidden ? [dirname(machineNode)] : [])],
    folders: names.map((each) => tools.folderOf(each)),
    env: {
      // A package manager of the machine must not ask questions.
      COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
      // Without a lock file Yarn has to write one; with one, the install command says that it must not change.
      YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
      ...(recipe.needs && completeInstall(recipe.needs)),
      // Native modules are compiled for this Node, without another download. pnpm 11 passes only capitals on to scripts.
      ...(headers && { npm_config_nodedir: headers, NPM_CONFIG_NODEDIR: headers }),
      ...(tools.registry.url !== publicRegistry && {
        npm_config_registry: tools.registry.url,
        YARN_NPM_REGISTRY_SERVER: tools.registry.url,
      }),
    },
  };
}

const everyMs = 3_600_000;

/** Returns an upkeep task that removes tools that no release uses. */
export function pruneTools(): (deps: { db: Db; parts: Parts; log: Log }) => Promise<void> {
  let last = 0;
  return async ({ db, parts, log }) => {
    if (Date.now() - last < everyMs) return;
    last = Date.now();
    const rows = await selectStackServices(db);
    const used = rows.flatMap(serviceStatesOf).flatMap(({ folder }) => folder?.tools ?? []);
    for (const name of await parts.tools.prune(new Set(used))) log.info(`removed ${name}, which is unused`);
  };
}
