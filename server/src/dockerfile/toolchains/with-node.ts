import type { Base } from '../dockerfile.ts';

const image = 'node:22-slim';

/** Disables requests of npm that could delay a build. */
export const quietNpm = { NPM_CONFIG_AUDIT: 'false', NPM_CONFIG_FUND: 'false', NPM_CONFIG_UPDATE_NOTIFIER: 'false' };

/** Adds Node.js to another language, to build assets. */
export function withNode(base: Base, command: string | null): Base {
  const uses = (tool: string) => new RegExp(`(^|\\s)${tool}\\s`).test(command ?? '');
  const copies: NonNullable<Base['copies']> = [
    [image, '/usr/local/bin/', '/usr/local/bin/'],
    [image, '/usr/local/lib/node_modules/', '/usr/local/lib/node_modules/'],
    ...(uses('yarn') ? [[image, '/opt/', '/opt/'] as [string, string, string]] : []),
    ...(uses('bun') ? [['oven/bun:1', '/usr/local/bin/bun', '/usr/local/bin/bun'] as [string, string, string]] : []),
  ];
  const commands = [...(base.commands ?? []), ...(uses('pnpm') ? ['npm install -g pnpm@10'] : [])];
  const environment = { ...base.environment, ...(uses('npm') && quietNpm) };
  return { ...base, copies: [...copies, ...(base.copies ?? [])], commands, environment };
}
