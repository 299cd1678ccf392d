import type { Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { bookwormSuffix, caCertificates, debianImage } from './debian.ts';

export const goToolchain: Toolchain = {
  languages: ['go'],
  plan({ found }) {
    const version = versionTag(found.languageVersion, '1.24');
    return {
      build: { image: `golang:${version}${bookwormSuffix(version, 1, 20)}` },
      run: { image: debianImage, copies: [caCertificates] },
      caches: { 'go-modules': '/go/pkg/mod', 'go-build': '/root/.cache/go-build' },
    };
  },
};
