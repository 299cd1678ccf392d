import type { Provider } from '../detect.ts';
import { languageVersion, toolVersions } from '../language-version.ts';
import { plainName } from '../plain-names.ts';
import type { VersionLine } from '../version-range.ts';
import { mapKeys, yamlScalar } from '../yaml-outline.ts';

const line: VersionLine = { language: 'Crystal', known: ['1'], preferred: '1' };

export const crystal: Provider = {
  name: 'crystal',
  looksFor: 'shard.yml',
  async detect(tree) {
    const shard = await tree.read('shard.yml');
    if (shard === undefined) return undefined;
    const names = new Set(await tree.list(''));
    const name = plainName(mapKeys(shard, 'targets')[0]) ?? plainName(yamlScalar(shard, 'name'));
    const hasSource =
      name !== undefined && (mapKeys(shard, 'targets').length > 0 || (await tree.read(`src/${name}.cr`)) !== undefined);
    const build = hasSource
      ? mapKeys(shard, 'targets').length
        ? 'shards build --release'
        : `crystal build --release -o bin/${name} src/${name}.cr`
      : null;
    const start = hasSource ? `./bin/${name}` : null;
    const version = languageVersion(line, [
      ...(await toolVersions(tree, 'crystal')),
      { wanted: yamlScalar(shard, 'crystal'), from: 'shard.yml' },
    ]);
    const isKemal = mapKeys(shard, 'dependencies').includes('kemal');
    return {
      ...version,
      framework: isKemal ? 'kemal' : 'crystal',
      language: 'crystal',
      packageManager: 'shards',
      installCommand: 'shards install --production',
      installFiles: ['shard.yml', 'shard.lock'].filter((each) => names.has(each)),
      buildCommand: build,
      startCommand: start,
      port: start ? 3000 : null,
      reasons: [
        ...(version.reasons ?? []),
        `shard.yml: ${isKemal ? 'Kemal' : 'Crystal'}, ${start ? `built with \`${build}\`, started with \`${start}\`` : 'but no target'}`,
      ],
    };
  },
};
