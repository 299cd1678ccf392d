import type { Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';
import { bookworm, certificates, debian } from './debian.ts';

export const goToolchain: Toolchain = {
  languages: ['go'],
  plan({ found }) {
    const version = tag(found.languageVersion, '1.24');
    return {
      build: { image: `golang:${version}${bookworm(version, 1, 20)}` },
      run: { image: debian, copies: [certificates] },
      caches: { 'go-modules': '/go/pkg/mod', 'go-build': '/root/.cache/go-build' },
    };
  },
};
