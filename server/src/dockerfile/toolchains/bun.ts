import type { Base, Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';
import { browsers, withNode } from './with-node.ts';

export const bunToolchain: Toolchain = {
  languages: ['javascript/bun', 'typescript/bun'],
  plan({ found }) {
    const image = `oven/bun:${tag(found.languageVersion, '1')}`;
    const environment = found.systemPackages.includes('chromium') ? browsers : {};
    // Tools of other frameworks are made for Node.js; Bun only runs its own programs in place of it.
    const base = (from: Base) => (found.otherLanguages.includes('javascript') ? withNode(from, 'npm ') : from);
    return {
      build: base({ image, environment }),
      run: base({ image: `${image}-slim`, environment: { ...environment, NODE_ENV: 'production' } }),
      caches: { bun: '/root/.bun/install/cache' },
    };
  },
};
