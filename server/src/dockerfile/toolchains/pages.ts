import type { BaseStage, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { atLeast, debianImage } from './debian.ts';

const mdbook = 'https://github.com/rust-lang/mdBook/releases/download/v0.4.51/mdbook-v0.4.51';

/** The source in the image has no history, without which Hugo fails. */
const withoutGit = { HUGO_ENABLEGITINFO: 'false' };

/** Site generators with a single binary. */
const generators: Record<string, BaseStage> = {
  hugo: { image: 'ghcr.io/gohugoio/hugo:v0.147.9', isNotRoot: true, environment: withoutGit },
  zola: { image: debianImage, copies: [['ghcr.io/getzola/zola:v0.20.0', '/bin/zola', '/usr/local/bin/zola']] },
  mdbook: {
    image: debianImage,
    packages: ['ca-certificates', 'curl'],
    commands: [`curl -fsSL "${mdbook}-$(uname -m)-unknown-linux-musl.tar.gz" | tar -xz -C /usr/local/bin`],
  },
};

/** Static pages, plain or generated. */
export const pagesToolchain: Toolchain = {
  languages: ['html', 'markdown'],
  plan: ({ found: { packageManager, languageVersion } }) => {
    const named =
      packageManager === 'hugo' && languageVersion ? hugo(versionTag(languageVersion, '0.147.9')) : undefined;
    return { build: named ?? generators[packageManager ?? ''] ?? { image: debianImage }, run: { image: debianImage } };
  },
};

/** Images exist for recent versions only, releases for all. */
function hugo(version: string): BaseStage {
  const releases = `https://github.com/gohugoio/hugo/releases/download/v${version}`;
  const platform = atLeast(version, '0.103') ? 'linux-$(dpkg --print-architecture)' : 'Linux-64bit';
  return {
    image: debianImage,
    packages: ['ca-certificates', 'curl', 'git'],
    commands: [`curl -fsSL "${releases}/hugo_extended_${version}_${platform}.tar.gz" | tar -xz -C /usr/local/bin hugo`],
    environment: withoutGit,
  };
}
