import type { Server } from '../../server-queries.ts';

/** The `serverId` of projects on a server: null for the machine that Mooring runs on. */
export const projectServerId = ({ kind, id }: Pick<Server, 'kind' | 'id'>): string | null =>
  kind === 'ssh' ? id : null;

/** `root@203.0.113.7`, with the port unless it is the default. */
export function addressOf({ kind, host, user, port }: Pick<Server, 'kind' | 'host' | 'user' | 'port'>): string {
  if (kind === 'this_machine') return 'The machine that Mooring runs on';
  const place = host?.includes(':') ? `[${host}]` : host;
  return `${user}@${place}${port && port !== 22 ? `:${port}` : ''}`;
}
