import type { BaseStage, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { browserVariables, withNode } from './with-node.ts';

export const bunToolchain: Toolchain = {
  languages: ['javascript/bun', 'typescript/bun'],
  plan({ found }) {
    const image = `oven/bun:${versionTag(found.languageVersion, '1')}`;
    const environment = found.systemPackages.includes('chromium') ? browserVariables : {};
    // Tools of other frameworks are made for Node.js; Bun only runs its own programs in place of it.
    const base = (from: BaseStage) => (found.otherLanguages.includes('javascript') ? withNode(from, 'npm ') : from);
    return {
      build: base({ image, environment }),
      run: base({ image: `${image}-slim`, environment: { ...environment, NODE_ENV: 'production' } }),
      caches: { bun: '/root/.bun/install/cache' },
    };
  },
};
