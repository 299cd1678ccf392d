import type { Provider } from '../detect.ts';
import { languageVersion, toolVersions } from '../language-version.ts';
import { childRecord, textOrNull } from '../records.ts';
import { readToml } from '../toml.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Gleam', known: ['1'], preferred: '1', aliases: { latest: '1' } };

export const gleam: Provider = {
  name: 'gleam',
  looksFor: 'gleam.toml',
  async detect(tree) {
    const manifest = await readToml(tree, 'gleam.toml');
    if (!manifest) return undefined;
    const names = new Set(await tree.list(''));
    const isWisp = 'wisp' in childRecord(manifest, 'dependencies');
    const isJavaScript = textOrNull(manifest['target']) === 'javascript';
    const [build, start] = isJavaScript
      ? ['gleam build', 'gleam run']
      : ['gleam export erlang-shipment', './build/erlang-shipment/entrypoint.sh run'];
    const version = languageVersion(line, await toolVersions(tree, 'gleam'));
    return {
      ...version,
      framework: isWisp ? 'wisp' : 'gleam',
      language: 'gleam',
      packageManager: 'gleam',
      installCommand: 'gleam deps download',
      installFiles: ['gleam.toml', 'manifest.toml'].filter((name) => names.has(name)),
      buildCommand: build,
      startCommand: start,
      port: 8000,
      reasons: [
        ...(version.reasons ?? []),
        `gleam.toml: ${isWisp ? 'Wisp' : 'Gleam'}, built with \`${build}\`, started with \`${start}\``,
      ],
    };
  },
};
