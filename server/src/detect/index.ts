import { canRun, findApps, findScattered, findWorkspace } from './apps.ts';
import { boundedTree } from './bounded-tree.ts';
import {
  nothingDetected,
  type Detection,
  type DetectFinding,
  type EnclosingSource,
  type SourceTree,
  type Workspace,
} from './detect.ts';
import { findCompose } from './facts/compose.ts';
import { findDockerfile } from './facts/dockerfile.ts';
import { findVariables } from './facts/variables.ts';
import { requiredSecrets } from './facts/secrets.ts';
import { findVolumes } from './facts/volumes.ts';
import { withPlatforms } from './platforms/apply.ts';
import { platformSettings } from './platforms/index.ts';
import type { PlatformSettings } from './platforms/settings.ts';
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
  const settings = [...(await platformSettings(app)), ...(await settingsFor(tree, folder))];
  const dockerfiles = settings.flatMap(({ dockerfile, rootDirectory }) => (rootDirectory ? [] : (dockerfile ?? [])));
  const [dockerfile, compose, variables, volumes] = await Promise.all([
    findDockerfile(app, dockerfiles),
    findCompose(app),
    findVariables(app),
    findVolumes(app),
  ]);
  const facts = [dockerfile, compose, variables, volumes];
  const recognized = await recognize(app, workspace, settings, { tree, folder });
  const secrets = await requiredSecrets(app, recognized?.framework ?? null, Boolean(dockerfile.dockerfile));
  const found = {
    ...recognized,
    generated: unique([...(recognized?.generated ?? []), ...(secrets.generated ?? [])], ({ key }) => key),
    reasons: [
      ...(recognized?.language || canRun(recognized) ? [] : unrecognized(facts, await app.list(''))),
      ...(recognized?.reasons ?? []),
    ],
    variables: unique([...(recognized?.variables ?? []), ...(variables.variables ?? [])], ({ key }) => key),
    volumes: unique([...(volumes.volumes ?? []), ...(recognized?.volumes ?? [])], ({ path }) => path),
  };
  const apps = await findApps(tree, folder, recognize);
  return merge([
    found,
    { workspaceDirectory: workspace?.folder ?? null },
    ...facts,
    secrets,
    apps.apps || canRun(found) ? apps : await findScattered(tree, folder, recognize),
  ]);
}

/**
 * Returns the first provider that can start or serve the tree, else the first that knows anything. With a declared
 * start command, the language is enough.
 */
async function recognize(
  tree: SourceTree,
  workspace?: Workspace,
  known?: PlatformSettings[],
  outer?: EnclosingSource,
): Promise<DetectFinding | undefined> {
  const settings = known ?? (await platformSettings(tree));
  const isStarted = settings.some(({ start, rootDirectory }) => start && !rootDirectory);
  let first: DetectFinding | undefined;
  for (const provider of providers) {
    // A page or script next to an app is part of it.
    if (provider.isWeak && first?.framework) continue;
    const found = await provider.detect(tree, workspace, outer);
    if (canRun(found) || (isStarted && found?.language)) return withPlatforms(settings, found);
    first ??= found;
  }
  return withPlatforms(settings, first);
}

/** Settings at the root of the source that describe this folder. */
async function settingsFor(tree: SourceTree, folder: string): Promise<PlatformSettings[]> {
  if (!folder) return [];
  const all = await platformSettings(tree);
  return all.flatMap(({ rootDirectory, ...settings }) => (rootDirectory === folder ? [settings] : []));
}

const unique = <T>(items: T[], keyOf: (item: T) => string): T[] =>
  [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();

/** A Dockerfile or compose file needs no provider. */
function unrecognized(facts: DetectFinding[], present: string[]): string[] {
  if (facts.some(({ dockerfile, compose }) => dockerfile || compose)) return [];
  const files = ['Dockerfile', 'compose.yaml', ...providers.map(({ looksFor }) => looksFor)];
  const missing = files.filter((file) => !present.includes(file));
  return [`Nothing to build or start was recognized: there is no ${missing.join(', ')}`];
}

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
