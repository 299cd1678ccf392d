import type { Provider } from '../detect.ts';
import { languageVersion, toolVersions } from '../language-version.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = { language: 'Erlang', known: ['27', '26', '25'], preferred: '27' };

export const erlang: Provider = {
  name: 'erlang',
  looksFor: 'rebar.config',
  async detect(tree) {
    const source = await tree.read('rebar.config');
    if (source === undefined) return undefined;
    const names = new Set(await tree.list(''));
    const release = /\{\s*release\s*,\s*\{\s*([a-z]\w{0,60})\s*,/.exec(source)?.[1];
    const start = release ? `_build/default/rel/${release}/bin/${release} foreground` : null;
    const build = release ? 'rebar3 release' : 'rebar3 compile';
    const version = languageVersion(line, await toolVersions(tree, 'erlang'));
    return {
      ...version,
      framework: 'erlang',
      language: 'erlang',
      packageManager: 'rebar3',
      installCommand: 'rebar3 get-deps',
      installFiles: ['rebar.config', 'rebar.lock'].filter((name) => names.has(name)),
      buildCommand: build,
      startCommand: start,
      port: start ? 8080 : null,
      reasons: [
        ...(version.reasons ?? []),
        `rebar.config: Erlang, built with \`${build}\`, ${start ? `started with \`${start}\`` : 'but it names no release'}`,
      ],
    };
  },
};
