import type { DockerApp, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { bookwormSuffix, caCertificates, debianImage } from './debian.ts';

/** Rocket has its own variables and listens on localhost by default. */
const rocket = 'ROCKET_ADDRESS=${HOST} ROCKET_PORT=${PORT}';

export const rustToolchain: Toolchain = {
  languages: ['rust'],
  plan(app) {
    const version = versionTag(app.found.languageVersion, '1');
    return {
      build: { image: `rust:${version}${bookwormSuffix(version, 1, 70)}` },
      run: { image: debianImage, copies: [caCertificates] },
      caches: {
        'cargo-registry': '/usr/local/cargo/registry',
        'cargo-git': '/usr/local/cargo/git',
      },
      buildCaches: { 'cargo-target': '/target' },
      ...cachedBuild(app),
      ...(app.found.framework === 'rocket' && app.start && { start: `${rocket} ${app.start}` }),
      leftovers: [
        'target/release/deps',
        'target/release/build',
        'target/release/.fingerprint',
        'target/release/incremental',
      ],
    };
  },
};

/** Keeps compiled dependencies in a cache and copies the program out of it. */
function cachedBuild({ found, build }: DockerApp): { cachedBuild?: string } {
  const program = /^\.\/target\/release\/([\w.-]+)$/.exec(found.startCommand ?? '')?.[1];
  // A command of the source may expect the usual folder.
  if (
    !program ||
    !/^(?:SQLX_OFFLINE=true )?cargo build --release(?: --locked)?(?: --target-dir target)?(?: --bin [\w.-]+)?$/.test(
      build ?? '',
    )
  )
    return {};
  const path = `target/release/${program}`;
  return {
    cachedBuild: `export CARGO_TARGET_DIR=/target && ${build!.replace(' --target-dir target', '')} && mkdir -p target/release && cp /${path} ${path}`,
  };
}
