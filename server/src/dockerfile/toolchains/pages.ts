import type { Base, Toolchain } from '../dockerfile.ts';
import { debian } from './debian.ts';

const mdbook = 'https://github.com/rust-lang/mdBook/releases/download/v0.4.51/mdbook-v0.4.51';

/** Site generators with a single binary. */
const generators: Record<string, Base> = {
  hugo: { image: 'ghcr.io/gohugoio/hugo:v0.147.9', isNotRoot: true },
  zola: { image: debian, copies: [['ghcr.io/getzola/zola:v0.20.0', '/bin/zola', '/usr/local/bin/zola']] },
  mdbook: {
    image: debian,
    packages: ['ca-certificates', 'curl'],
    commands: [`curl -fsSL "${mdbook}-$(uname -m)-unknown-linux-musl.tar.gz" | tar -xz -C /usr/local/bin`],
  },
};

/** Static pages, plain or generated. */
export const pagesToolchain: Toolchain = {
  languages: ['html', 'markdown'],
  plan: ({ found }) => ({ build: generators[found.packageManager ?? ''] ?? { image: debian }, run: { image: debian } }),
};
