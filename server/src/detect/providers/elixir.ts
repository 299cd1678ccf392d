import type { Provider } from '../detect.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import type { VersionLine } from '../version-range.ts';

const line: VersionLine = {
  language: 'Elixir',
  known: ['1.19', '1.18', '1.17', '1.16', '1.15', '1.14'],
  preferred: '1.18',
  pessimisticTilde: true,
};

const earlyPhoenix =
  'Phoenix before 1.6 reads its configuration and builds its assets in a way that Mooring does not support. ' +
  'Update to Phoenix 1.6 with config/runtime.exs, or add a Dockerfile.';

export const elixir: Provider = {
  name: 'elixir',
  looksFor: 'mix.exs',
  async detect(tree) {
    const source = await tree.read('mix.exs');
    if (source === undefined) return undefined;
    const names = new Set(await tree.list(''));
    const app = /\bapp:\s*:([a-z]\w{0,60})/.exec(source)?.[1];
    const release = /\breleases:\s*\[\s*([a-z]\w{0,60}):/.exec(source)?.[1] ?? app;
    const isPhoenix = /\{\s*:phoenix\s*,/.test(source);
    const assets = /["']?assets\.deploy["']?\s*:/.test(source) ? 'mix assets.deploy && ' : '';
    const build = `export MIX_ENV=prod && mix deps.compile && ${assets}mix release --overwrite`;
    const start = release
      ? `${isPhoenix ? 'PHX_SERVER=true ' : ''}_build/prod/rel/${release}/bin/${release} start`
      : null;
    const version = languageVersion(line, [
      await versionFile(tree, '.elixir-version'),
      // The Erlang version follows the dash.
      ...(await toolVersions(tree, 'elixir')).map(({ wanted, from }) => ({
        wanted: wanted?.replace(/-otp-.*$/, ''),
        from,
      })),
      { wanted: /\belixir:\s*"([^"\n]{1,40})"/.exec(source)?.[1], from: 'mix.exs' },
    ]);
    const isEarly = isPhoenix && /\{\s*:phoenix\s*,\s*"~>\s*1\.[0-5]\b/.test(source) && !names.has('rel/');
    return {
      ...version,
      ...(isEarly && { warnings: [{ message: earlyPhoenix, unlessVariables: [] }] }),
      framework: isPhoenix ? 'phoenix' : 'elixir',
      language: 'elixir',
      packageManager: 'mix',
      // The image that runs the release has no dependencies of the build.
      adapt: (command) =>
        start && /^(?:MIX_ENV=\w+ )?(?:elixir .*)?mix (?:phx\.server|run)\b/.test(command) ? start : command,
      installCommand: 'mix local.hex --force && mix local.rebar --force && mix deps.get --only prod',
      installFiles: /\bpath:|in_umbrella|apps_path|File\.read/.test(source)
        ? []
        : ['mix.exs', 'mix.lock'].filter((name) => names.has(name)),
      buildCommand: build,
      startCommand: start,
      port: start ? 4000 : null,
      reasons: [
        ...(version.reasons ?? []),
        `mix.exs: ${isPhoenix ? 'Phoenix' : 'Elixir'}, ${start ? `released as ${release}, started with \`${start}\`` : 'but it names no application'}`,
      ],
    };
  },
};
