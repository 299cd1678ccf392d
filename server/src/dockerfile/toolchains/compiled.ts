import type { Detection } from '../../detect/detect.ts';
import type { BaseStage, DockerfilePlan, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { caCertificates, debianImage } from './debian.ts';

const onDebian = (build: BaseStage, packages: string[] = [], leftovers: string[] = []): DockerfilePlan => ({
  build,
  run: { image: debianImage, packages: ['ca-certificates', ...packages] },
  leftovers,
});

/** Compiled languages, each with its own image or Debian packages. */
const plans: Record<string, (found: Detection) => DockerfilePlan> = {
  c: () => onDebian({ image: debianImage, packages: tools }),
  cpp: () => onDebian({ image: debianImage, packages: tools }),
  cobol: () => onDebian({ image: debianImage, packages: ['gcc', 'gnucobol3', 'libc6-dev'] }, ['libcob4']),
  // The image is not Debian, and a program needs the C library it was linked with, or a newer one.
  crystal: ({ languageVersion }) => {
    const image = `crystallang/crystal:${versionTag(languageVersion, '1')}`;
    return { build: { image }, run: { image } };
  },
  dart: ({ languageVersion, framework }) => ({
    build:
      framework === 'flutter'
        ? { image: 'ghcr.io/cirruslabs/flutter:stable' }
        : dart(versionTag(languageVersion, '3'), framework),
    run: { image: debianImage, copies: [caCertificates] },
    caches: { pub: '/root/.pub-cache' },
    leftovers: ['.dart_tool'],
  }),
  haskell: () => ({
    ...onDebian({ image: 'haskell:9' }, ['libgmp10'], ['.stack-work', 'dist-newstyle']),
    caches: { stack: '/root/.stack', cabal: '/root/.cabal' },
  }),
  nim: ({ languageVersion }) => {
    const image = `nimlang/nim:${exact(languageVersion, '2.2.4')}`;
    return { build: { image }, run: { image: `${image}-slim`, packages: ['ca-certificates', 'libssl3'] } };
  },
  ocaml: () => onDebian(opam, ['libev4', 'libgmp10', 'libssl3']),
  swift: ({ languageVersion }) => {
    const version = versionTag(languageVersion, '6.0');
    return { build: { image: `swift:${version}` }, run: { image: `swift:${version}-slim` }, leftovers: swiftLeftovers };
  },
  zig: ({ languageVersion }) =>
    onDebian(
      {
        image: debianImage,
        packages: ['ca-certificates', 'curl', 'xz-utils'],
        commands: [zig(exact(languageVersion, '0.14.1'))],
      },
      [],
      ['.zig-cache'],
    ),
};

const tools = ['build-essential', 'ca-certificates', 'cmake', 'git', 'meson', 'ninja-build', 'pkg-config'];

/** The image has its own user, and the opam root is in its home. */
const opam: BaseStage = {
  image: 'ocaml/opam:debian-12-ocaml-5.2',
  isNotRoot: true,
  packages: ['libev-dev', 'libgmp-dev', 'libssl-dev', 'pkg-config'],
  environment: { OPAMROOT: '/home/opam/.opam', OPAMROOTISOK: '1' },
};

const swiftLeftovers = [
  '.build/checkouts',
  '.build/repositories',
  '.build/*/release/*.build',
  '.build/*/release/*.swiftmodule',
  '.build/*/release/ModuleCache',
];

const dart = (version: string, framework: string | null): BaseStage =>
  framework === 'dart-frog'
    ? {
        image: `dart:${version}`,
        commands: ['PUB_CACHE=/opt/pub dart pub global activate dart_frog_cli'],
        environment: { PATH: '/opt/pub/bin:$PATH' },
      }
    : { image: `dart:${version}` };

/** For images without tags of partial versions. */
const exact = (version: string | null, usual: string) => (/^\d+\.\d+\.\d+$/.test(version ?? '') ? version! : usual);

/** The archive names changed after 0.14.0. */
const zig = (version: string) => {
  const [, minor = 0, patch = 0] = version.split('.').map(Number);
  const target = minor > 14 || (minor === 14 && patch > 0) ? '$(uname -m)-linux' : 'linux-$(uname -m)';
  return `curl -fsSL "https://ziglang.org/download/${version}/zig-${target}-${version}.tar.xz" | tar -xJ -C /opt && ln -s /opt/zig-*/zig /usr/local/bin/zig`;
};

export const compiledToolchain: Toolchain = {
  languages: Object.keys(plans),
  plan: ({ found }) => plans[found.language ?? 'c']!(found),
};
