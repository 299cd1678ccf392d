import { canRun, findApps, findScattered, findWorkspace } from './apps.ts';
import { boundedTree } from './bounded-tree.ts';
import { nothingDetected, type Detection, type DetectFinding, type SourceTree, type Workspace } from './detect.ts';
import { findCompose } from './facts/compose.ts';
import { findDockerfile } from './facts/dockerfile.ts';
import { declaredProcesses, withProcesses } from './facts/processes.ts';
import { findVariables } from './facts/variables.ts';
import { findVolumes } from './facts/volumes.ts';
import { providers } from './providers/index.ts';
import { insidePath, subTree } from './sub-tree.ts';

/** Detects the app in `rootDirectory` of the tree. Runs and writes nothing. */
export async function detect(source: SourceTree, rootDirectory = ''): Promise<Detection> {
  const folder = insidePath(rootDirectory);
  if (folder === undefined) return merge([{ reasons: [`${rootDirectory} is not a folder of the source`] }]);
  const tree = boundedTree(source);
  const app = subTree(tree, folder);
  if (folder && !(await app.list('')).length)
    return merge([{ reasons: [`${folder} is empty, or there is no such folder in the source`] }]);
  const workspace = await findWorkspace(tree, folder);
  const facts = await Promise.all([findDockerfile(app), findCompose(app), findVariables(app), findVolumes(app)]);
  const found = (await recognize(app, workspace)) ?? unrecognized(facts);
  const apps = await findApps(tree, folder, recognize);
  return merge([
    found,
    { workspaceDirectory: workspace?.folder ?? null },
    ...facts,
    apps.apps || canRun(found) ? apps : await findScattered(tree, folder, recognize),
  ]);
}

/**
 * Returns the first provider that can start or serve the tree, else the first that knows anything. With a declared
 * start command, the language is enough.
 */
async function recognize(tree: SourceTree, workspace?: Workspace): Promise<DetectFinding | undefined> {
  const declared = await declaredProcesses(tree);
  let known: DetectFinding | undefined;
  for (const provider of providers) {
    // A page or script next to an app is part of it.
    if (provider.isWeak && known?.framework) continue;
    const found = await provider.detect(tree, workspace);
    if (canRun(found) || (declared?.start && found?.language)) return withProcesses(declared, found);
    known ??= found;
  }
  return withProcesses(declared, known);
}

/** A Dockerfile needs no provider. */
const unrecognized = (facts: DetectFinding[]): DetectFinding =>
  facts.some(({ dockerfile }) => dockerfile)
    ? {}
    : {
        reasons: [
          `Nothing to build or start was recognized: there is no ${providers.map(({ looksFor }) => looksFor).join(', ')}`,
        ],
      };

/** The first part with a value wins; warnings and reasons are collected. */
function merge(parts: DetectFinding[]): Detection {
  const known = parts
    .toReversed()
    .map((part) =>
      Object.entries(part).filter(([key, value]) => value !== null && Object.hasOwn(nothingDetected, key)),
    );
  return {
    ...structuredClone(nothingDetected),
    ...(Object.fromEntries(known.flat()) as Partial<Detection>),
    warnings: parts.flatMap((part) => part.warnings ?? []),
    reasons: parts.flatMap((part) => part.reasons ?? []),
  };
}
