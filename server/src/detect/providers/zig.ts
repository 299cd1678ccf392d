import type { Provider } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { plainName } from '../plain-names.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Zig', known: ['0.14.1', '0.13.0'], preferred: '0.14.1' };

export const zig: Provider = {
  name: 'zig',
  looksFor: 'build.zig',
  async detect(tree) {
    const source = await tree.read('build.zig');
    if (source === undefined) return undefined;
    const call = source.indexOf('addExecutable(');
    const text = call < 0 ? '' : source.slice(call, call + 500);
    const name = plainName(
      /\.name\s*=\s*"([^"\n]{1,80})"/.exec(text)?.[1] ?? /addExecutable\(\s*"([^"\n]{1,80})"/.exec(text)?.[1],
    );
    const start = name ? `./zig-out/bin/${name}` : null;
    const build = 'zig build -Doptimize=ReleaseSafe';
    const wanted = /\.minimum_zig_version\s*=\s*"([\d.]{1,20})/.exec((await tree.read('build.zig.zon')) ?? '')?.[1];
    const version = languageVersion(line, [
      await versionFile(tree, '.zigversion'),
      ...(await toolVersions(tree, 'zig')),
      { wanted, from: 'build.zig.zon' },
    ]);
    return {
      ...version,
      framework: 'zig',
      language: 'zig',
      packageManager: 'zig',
      buildCommand: build,
      startCommand: start,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        `build.zig: Zig, built with \`${build}\`, ${start ? `started with \`${start}\`` : 'but it names no executable'}`,
      ],
    };
  },
};
