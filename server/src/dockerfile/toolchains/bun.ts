import type { Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';

export const bunToolchain: Toolchain = {
  languages: ['javascript/bun', 'typescript/bun'],
  plan({ found }) {
    const image = `oven/bun:${tag(found.languageVersion, '1')}`;
    return {
      build: { image },
      run: { image: `${image}-slim`, environment: { NODE_ENV: 'production' } },
      caches: { bun: '/root/.bun/install/cache' },
    };
  },
};
