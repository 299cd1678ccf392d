import type { DockerfilePlan, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import type { Detection } from '../../detect/detect.ts';

const hex = { 'mix-home': '/root/.mix', hex: '/root/.hex' };

/** Languages on the Erlang VM. */
export const beamToolchain: Toolchain = {
  languages: ['elixir', 'erlang', 'gleam'],
  plan: ({ found }) => plans[found.language ?? 'erlang']!(found),
};

const plans: Record<string, (found: Detection) => DockerfilePlan> = {
  elixir: ({ languageVersion }) => {
    const version = versionTag(languageVersion, '1.18');
    return {
      build: { image: `elixir:${version}` },
      // A release contains its own VM and needs only the libraries it is linked with.
      run: { image: `elixir:${version}-slim`, environment: { LANG: 'C.UTF-8' } },
      caches: hex,
      leftovers: ['deps', '_build/prod/lib'],
    };
  },
  erlang: ({ languageVersion }) => {
    const version = versionTag(languageVersion, '27');
    return {
      build: { image: `erlang:${version}` },
      run: { image: `erlang:${version}-slim` },
      caches: { rebar3: '/root/.cache/rebar3' },
    };
  },
  gleam: ({ languageVersion, startCommand }) => {
    const version = /^\d+\.\d+\.\d+$/.test(languageVersion ?? '') ? languageVersion : '1.11.0';
    // Gleam itself runs code compiled to JavaScript.
    const image = `ghcr.io/gleam-lang/gleam:v${version}-${startCommand?.startsWith('gleam') ? 'node' : 'erlang'}`;
    return { build: { image }, run: { image: `${image}-slim` } };
  },
};
