import type { Base, Toolchain } from '../dockerfile.ts';
import { tag } from '../instructions.ts';
import type { Detection } from '../../detect/detect.ts';
import { quietNpm } from './with-node.ts';

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
      build: base,
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

function baseOf(found: Detection): Base {
  const { packageManager, packageManagerVersion: version } = found;
  const image = `node:${tag(found.languageVersion, '22')}-slim`;
  // A downloaded browser stays with the user who installed it; Debian's works for every user.
  const browser = { PUPPETEER_EXECUTABLE_PATH: '/usr/bin/chromium', PUPPETEER_SKIP_DOWNLOAD: 'true' };
  const environment = {
    ...(found.systemPackages.includes('chromium') && browser),
    ...((packageManager ?? 'npm') === 'npm' && quietNpm),
  };
  if (packageManager === 'pnpm') return { image, environment, commands: [`npm install -g pnpm@${tag(version, '10')}`] };
  // Yarn 1 comes with the image; later versions are a package that replaces it.
  return isBerry(found)
    ? { image, environment, commands: [`npm install -g --force @yarnpkg/cli-dist@${tag(version, '4')}`] }
    : { image, environment };
}

const isBerry = ({ packageManager, packageManagerVersion }: Detection) =>
  packageManager === 'yarn' && !/^1(\.|$)/.test(tag(packageManagerVersion, '1'));
