import type { Provider, SourceTree } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { plainName } from '../plain-names.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Swift', known: ['6.0', '5.10', '5.9'], preferred: '6.0' };

export const swift: Provider = {
  name: 'swift',
  looksFor: 'Package.swift',
  async detect(tree) {
    const source = await tree.read('Package.swift');
    if (source === undefined) return undefined;
    const names = new Set(await tree.list(''));
    const isVapor = /vapor\/vapor/.test(source);
    const programs = [...source.slice(0, 100_000).matchAll(/\.executableTarget\(\s*name:\s*"([^"\n]{1,80})"/g)];
    const name = plainName(programs[0]?.[1]) ?? (await oldProgram(tree));
    const serve = isVapor ? ' serve --env production --hostname ${HOST:-0.0.0.0} --port ${PORT:-8080}' : '';
    const start = name ? `.build/release/${name}${serve}` : null;
    const version = languageVersion(line, [
      await versionFile(tree, '.swift-version'),
      ...(await toolVersions(tree, 'swift')),
    ]);
    return {
      ...version,
      framework: isVapor ? 'vapor' : 'swift',
      language: 'swift',
      packageManager: 'swiftpm',
      installCommand: 'swift package resolve',
      installFiles: ['Package.swift', 'Package.resolved'].filter((each) => names.has(each)),
      buildCommand: 'swift build -c release',
      startCommand: start,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        `Package.swift: ${isVapor ? 'Vapor' : 'Swift'}, ${start ? `started with \`${start}\`` : 'but no executable target'}`,
      ],
    };
  },
};

/** Before executable targets existed, a main file defined one. */
async function oldProgram(tree: SourceTree): Promise<string | undefined> {
  for (const folder of (await tree.list('Sources')).filter((each) => each.endsWith('/')).slice(0, 20))
    if ((await tree.list(`Sources/${folder.slice(0, -1)}`)).includes('main.swift'))
      return plainName(folder.slice(0, -1));
  return undefined;
}
