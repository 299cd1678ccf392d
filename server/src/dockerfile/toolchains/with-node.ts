import { pnpmFor } from '../../detect/node/manager-version.ts';
import type { BaseStage } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { atLeast } from './debian.ts';

/** Disables requests of npm that could delay a build. */
export const quietNpm = { NPM_CONFIG_AUDIT: 'false', NPM_CONFIG_FUND: 'false', NPM_CONFIG_UPDATE_NOTIFIER: 'false' };

/** Image of the Node.js that builds assets. */
export const nodeFor = (version: string | null): string => `node:${versionTag(version, '22')}-slim`;

/** The program of Bun, from its own image. */
export const bunProgram: [string, string, string] = ['oven/bun:1', '/usr/local/bin/bun', '/usr/local/bin/bun'];

/**
 * Puppeteer uses Debian's browser, since a downloaded one stays with the user who installed it. Playwright needs its own
 * build, in a folder that the final image has.
 */
export const browserVariables = {
  PLAYWRIGHT_BROWSERS_PATH: '/app/.playwright',
  PUPPETEER_EXECUTABLE_PATH: '/usr/bin/chromium',
  PUPPETEER_SKIP_DOWNLOAD: 'true',
};

/** Adds Node.js to another language, to build assets. */
export function withNode(base: BaseStage, command: string | null, version: string | null = null): BaseStage {
  const image = nodeFor(version);
  const uses = (tool: string) => new RegExp(`(^|\\s)${tool}\\s`).test(command ?? '');
  const copies: NonNullable<BaseStage['copies']> = [
    [image, '/usr/local/bin/', '/usr/local/bin/'],
    [image, '/usr/local/lib/node_modules/', '/usr/local/lib/node_modules/'],
    ...(uses('yarn') ? [[image, '/opt/', '/opt/'] as [string, string, string]] : []),
    ...(uses('bun') ? [bunProgram] : []),
  ];
  const commands = [
    ...(base.commands ?? []),
    // Later images lack Yarn.
    ...(uses('yarn') && atLeast(versionTag(version, '22'), '25') ? ['npm install -g --force yarn@1'] : []),
    ...(uses('pnpm') ? [`npm install -g pnpm@${pnpmFor(versionTag(version, '22'))}`] : []),
  ];
  const environment = { ...base.environment, ...(uses('npm') && quietNpm) };
  return { ...base, copies: [...copies, ...(base.copies ?? [])], commands, environment };
}
