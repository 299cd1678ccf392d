import { findApps, findWorkspace } from './apps.ts';
import type { Detection, Provider, SourceTree } from './detect.ts';
import { findCompose } from './facts/compose.ts';
import { findDockerfile } from './facts/dockerfile.ts';
import { findVariables } from './facts/variables.ts';
import { node } from './providers/node.ts';
import { staticSite } from './providers/static.ts';
import { insidePath, subTree } from './sub-tree.ts';

/** In this order; the first that recognizes the tree answers. A page is the weakest sign, so it is last. */
const providers: Provider[] = [node, staticSite];

const nothing: Detection = {
  framework: null,
  language: null,
  packageManager: null,
  installCommand: null,
  buildCommand: null,
  startCommand: null,
  outputDirectory: null,
  fallback: null,
  port: null,
  dockerfile: null,
  compose: null,
  services: [],
  apps: [],
  variables: [],
  reasons: [],
};

/** What the app in `rootDirectory` of the tree is, and how to build and start it. Looks only: nothing is run or written. */
export async function detect(tree: SourceTree, rootDirectory = ''): Promise<Detection> {
  const folder = insidePath(rootDirectory);
  if (folder === undefined) return merge([{ reasons: [`${rootDirectory} is not a folder of the source`] }]);
  const app = subTree(tree, folder);
  if (folder && !(await app.list('')).length)
    return merge([{ reasons: [`${folder} is empty, or there is no such folder in the source`] }]);
  const found = (await recognize(app, await findWorkspace(tree, folder))) ?? unrecognized();
  const facts = [findDockerfile(app), findCompose(app), findVariables(app), findApps(tree, folder, recognize)];
  return merge([found, ...(await Promise.all(facts))]);
}

async function recognize(tree: SourceTree, workspace?: SourceTree): Promise<Partial<Detection> | undefined> {
  for (const provider of providers) {
    const found = await provider.detect(tree, workspace);
    if (found) return found;
  }
  return undefined;
}

const unrecognized = (): Partial<Detection> => ({
  reasons: [
    `Nothing to build or start was recognized: there is no ${providers.map((p) => p.looksFor).join(', and no ')}`,
  ],
});

/** The first that knows something about a field wins; reasons are collected. */
function merge(parts: Partial<Detection>[]): Detection {
  const known = parts.toReversed().map((part) => Object.entries(part).filter(([, value]) => value !== null));
  return {
    ...structuredClone(nothing),
    ...(Object.fromEntries(known.flat()) as Partial<Detection>),
    reasons: parts.flatMap((part) => part.reasons ?? []),
  };
}
