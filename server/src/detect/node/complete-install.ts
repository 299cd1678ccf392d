import type { Detection } from '../detect.ts';

/** By package manager. Bun and later versions of Yarn install them anyway. */
const settings: Record<string, Record<string, string>> = {
  npm: { NPM_CONFIG_INCLUDE: 'dev' },
  pnpm: { NPM_CONFIG_PRODUCTION: 'false' },
  yarn: { YARN_PRODUCTION: 'false' },
};

type Manager = Pick<Detection, 'packageManager' | 'packageManagerVersion'>;

export const isBerry = ({ packageManager, packageManagerVersion: version }: Manager): boolean =>
  packageManager === 'yarn' && /^([2-9]|\d{2,})(\.\d+){0,2}$/.test(version ?? '');

/** Installs development dependencies also if NODE_ENV is a variable of the build: builds need them. */
export const completeInstall = (manager: Manager): Record<string, string> =>
  isBerry(manager) ? {} : (settings[manager.packageManager ?? 'npm'] ?? {});
