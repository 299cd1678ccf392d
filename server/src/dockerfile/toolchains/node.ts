import type { Detection } from '../../detect/detect.ts';
import { completeInstall, isBerry } from '../../detect/node/complete-install.ts';
import { pnpmFor } from '../../detect/node/manager-version.ts';
import type { BaseStage, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { nodeImage } from './node-image.ts';
import { browserVariables, bunProgram, quietNpm } from './with-node.ts';

/** Cache folders of package managers. */
const caches: Record<string, string> = {
  npm: '/root/.npm',
  pnpm: '/root/.local/share/pnpm/store',
  yarn: '/usr/local/share/.cache/yarn',
};

export const nodeToolchain: Toolchain = {
  languages: ['javascript', 'typescript'],
  plan({ found, directory }) {
    const manager = found.packageManager ?? 'npm';
    const base = baseOf(found);
    const cache = isBerry(found) ? '/root/.yarn/berry/cache' : (caches[manager] ?? caches['npm']!);
    const isNext = found.framework === 'next';
    return {
      build: { ...base, environment: { ...base.environment, ...completeInstall(found) } },
      run: { ...base, environment: { ...base.environment, NODE_ENV: 'production', ...pathTo(found, directory) } },
      caches: { [manager]: cache },
      ...(isNext && { buildCaches: { next: `${directory}/.next/cache` } }),
      leftovers: isNext ? ['.next/cache'] : [],
      filledCaches: isNext ? [`${directory}/.next/cache`] : [],
      ...(found.startProgram && { start: found.startProgram }),
    };
  },
};

/** Adds the folder of local binaries, which a package manager would have added. */
function pathTo({ startProgram }: Detection, directory: string): { PATH?: string } {
  if (!startProgram || /^(\w+=\S+ )*node /.test(startProgram)) return {};
  const folders = [...new Set([directory, '/app'])].map((folder) => `${folder}/node_modules/.bin`);
  return { PATH: [...folders, '$PATH'].join(':') };
}

function baseOf(found: Detection): BaseStage {
  const { packageManager, packageManagerVersion: version, otherLanguages } = found;
  // Yarn 1 comes with images until Node.js 24; later versions are a package that replaces it.
  const hasYarn = Number.parseInt(versionTag(found.languageVersion, '22'), 10) <= 24;
  const tools = isBerry(found)
    ? [`npm install -g --force @yarnpkg/cli-dist@${versionTag(version, '4')}`]
    : packageManager === 'yarn' && !hasYarn
      ? ['npm install -g --force yarn@1']
      : packageManager === 'pnpm' || otherLanguages.includes('pnpm')
        ? [
            `npm install -g pnpm@${versionTag(packageManager === 'pnpm' ? version : null, pnpmFor(versionTag(found.languageVersion, '22')))}`,
          ]
        : [];
  return {
    ...nodeImage(found.languageVersion),
    ...(otherLanguages.includes('bun') && { copies: [bunProgram] }),
    commands: tools,
    environment: {
      ...(found.systemPackages.includes('chromium') && browserVariables),
      ...((packageManager ?? 'npm') === 'npm' && quietNpm),
    },
  };
}
