import type { DetectFinding, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import type { PackageJson } from '../package-json.ts';
import type { VersionLine } from '../version-range.ts';
import { newestNode } from './legacy.ts';
import { oldestNode } from './manager-version.ts';

const node: VersionLine = {
  language: 'Node.js',
  known: ['26', '24', '22', '20', '18', '16', '14', '12', '10'],
  preferred: '22',
  aliases: {
    lts: '24',
    'lts/*': '24',
    stable: '24',
    latest: '26',
    node: '26',
    current: '26',
    'lts/krypton': '24',
    'lts/jod': '22',
    'lts/iron': '20',
    'lts/hydrogen': '18',
    'lts/gallium': '16',
    'lts/fermium': '14',
  },
};

const bun: VersionLine = { language: 'Bun', known: ['1'], preferred: '1', aliases: { latest: '1', '*': '1' } };

/** Returns the version of Bun or Node.js. An exact version file precedes a range. The app's package comes first. */
export async function runtimeVersion(
  trees: SourceTree[],
  packages: [PackageJson, ...PackageJson[]],
  { name, version }: { name: string; version: string | null },
): Promise<DetectFinding> {
  const isBun = name === 'bun';
  const [pkg] = packages;
  const [line, tools, files] = isBun
    ? ([bun, ['bun'], ['.bun-version']] as const)
    : ([node, ['node', 'nodejs'], ['.nvmrc', '.node-version']] as const);
  const signs = [];
  for (const tree of trees) {
    for (const file of files) signs.push(await versionFile(tree, file, /^node[-@]/));
    signs.push(...(await toolVersions(tree, ...tools)));
  }
  for (const [from, said] of [
    ['devEngines or volta', pkg.tools],
    ['engines', pkg.engines],
  ] as const)
    signs.push({ wanted: said.get(tools[0]), from: `${from} of package.json` });
  const limit = isBun ? undefined : newestNode(packages);
  // Where the package manager needs a newer Node.js, the app was built with it.
  if (!limit || Number(limit.version) < oldestNode({ name, version })) return languageVersion(line, signs);
  const found = languageVersion({ ...line, preferred: limit.version, known: [line.preferred, ...line.known] }, signs);
  // A range such as `>=12` allows versions that are too new for the dependency.
  const languageRequest = { said: `${limit.version} or older`, range: limit.version, from: limit.because };
  if (found.languageVersion) return { ...found, ...(found.languageVersion === limit.version && { languageRequest }) };
  return {
    languageVersion: limit.version,
    languageRequest,
    reasons: [
      ...(found.reasons ?? []),
      `${limit.because}: Node.js ${limit.version}, because newer versions cannot run it`,
    ],
  };
}
