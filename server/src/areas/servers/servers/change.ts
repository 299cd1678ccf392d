import type { ServerTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import type { StoredCredentials } from './credentials.ts';
import { givenSshFields } from './fields.ts';
import type { ServerChange } from './schemas.ts';

/** Result of a change. `notice` tells the user about the pinned host key. */
export interface ChangedServer {
  row: ServerTable;
  isForgotten: boolean;
  notice?: string;
}

/** Rejects changes that are not allowed. */
export function requireChangeable(before: ServerTable, change: ServerChange): void {
  if (change.kind !== undefined && change.kind !== before.kind) throw badRequest('kind cannot be changed', 'kind');
  if (typeof change.hostKey === 'string' && change.hostKey !== before.hostKey)
    throw badRequest('hostKey can only be set to null, which pins the key of the next connection', 'hostKey');
  const [needless] = before.kind === 'this_machine' ? givenSshFields(change) : [];
  if (needless) throw badRequest(`${needless} does not apply to this machine`, needless);
}

export function changedServer(
  before: ServerTable,
  change: ServerChange,
  credentials: StoredCredentials,
): ChangedServer {
  const row: ServerTable = {
    ...before,
    ...credentials,
    name: change.name ?? before.name,
    host: change.host ?? before.host,
    port: change.port ?? before.port,
    username: change.user ?? before.username,
    baseDomain: change.baseDomain === undefined ? before.baseDomain : change.baseDomain,
    edgePort: change.edgePort === undefined ? before.edgePort : change.edgePort,
    edgeTlsPort: change.edgeTlsPort === undefined ? before.edgeTlsPort : change.edgeTlsPort,
    updatedAt: Date.now(),
  };
  const isElsewhere = row.host !== before.host || row.port !== before.port;
  const isSentAgain = Boolean(change.password || change.privateKey || change.generateKey);
  const forgets = change.hostKey === null || (isElsewhere && isSentAgain);
  if (forgets) row.hostKey = null;
  // A node that nobody looks after would go on serving old routes, so one stays what it is.
  if (isElsewhere && row.runtime !== 'node' && row.runtime !== 'swarm') row.swarmNodeId = null;
  requireCredentialsAgain(before, change);
  const isForgotten = before.hostKey !== null && row.hostKey === null;
  const notice = noticeOf(isForgotten, isElsewhere && row.hostKey !== null);
  return { row, isForgotten, ...(notice && { notice }) };
}

/** Stored credentials belong to the host, port, user and host key they were stored for. Without this check, a member who
 * may change a server but does not know its password could have it sent to their own machine. */
function requireCredentialsAgain(before: ServerTable, change: ServerChange): void {
  const isOther = (wanted: unknown, stored: unknown) => wanted !== undefined && wanted !== stored;
  const changed = [
    isOther(change.host, before.host) && 'host',
    isOther(change.port, before.port) && 'port',
    isOther(change.user, before.username) && 'user',
    isOther(change.hostKey, before.hostKey) && 'hostKey',
  ].filter((field) => field !== false);
  if (!changed.length) return;
  const why = `is required again when ${changed.join(' and ')} changes: the stored one belongs to`;
  const place = `${before.username}@${before.host}:${before.port}${before.hostKey ? ' and its host key' : ''}`;
  if (before.password && change.password === undefined)
    throw badRequest(`password ${why} ${place}. Send it, or clear it with null`, 'password');
  if (before.privateKey && change.privateKey === undefined && !change.generateKey)
    throw badRequest(`privateKey ${why} ${place}. Send it, clear it with null, or set generateKey`, 'privateKey');
}

function noticeOf(isForgotten: boolean, isKept: boolean): string | undefined {
  if (isForgotten) return 'the pinned host key was removed; the key of the next connection is pinned';
  if (isKept)
    return 'the previous host key is still pinned: a machine with another key is refused until hostKey is set to null';
  return undefined;
}
