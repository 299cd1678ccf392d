import { type Client, type Schemas, unwrap } from '@mooring/client';
import { Failure } from '../errors.ts';
import { closestMatch } from '../closest-match.ts';

export type Server = Schemas['Server'];

export async function allServers(client: Client): Promise<Server[]> {
  const { data } = await unwrap(client.GET('/api/servers'));
  return data;
}

/** Finds a server by id or name. */
export async function findServer(client: Client, named: string): Promise<Server> {
  const all = await allServers(client);
  const found = all.find(({ id, name }) => id === named || name === named);
  if (found) return found;
  throw new Failure(`there is no server ${named}; ${candidates(all, named)}`);
}

function candidates(all: Server[], named: string): string {
  const names = all.map(({ name }) => name);
  const near = closestMatch(named, names);
  if (near) return `did you mean ${near}?`;
  return names.length ? `there are ${names.slice(0, 10).join(', ')}` : 'add one with: mooring server add';
}

export const addressOf = ({ kind, host, port, user }: Server): string =>
  kind === 'this_machine' ? 'this machine' : `${user}@${host}:${port}`;
