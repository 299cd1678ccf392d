import type { ServerTable } from '../../../db/tables.ts';
import { badRequest } from '../../../errors.ts';
import type { StoredCredentials } from './credentials.ts';
import { given } from './fields.ts';
import type { ServerChange } from './schemas.ts';

/** What becomes of a server by a change. `notice` is what whoever made it should know about the pinned host key. */
export interface Changed {
  row: ServerTable;
  isForgotten: boolean;
  notice?: string;
}

/** Refuses what cannot be changed, or not so. */
export function requireChangeable(before: ServerTable, change: ServerChange): void {
  if (change.kind !== undefined && change.kind !== before.kind) throw badRequest('kind cannot be changed', 'kind');
  if (typeof change.hostKey === 'string' && change.hostKey !== before.host_key)
    throw badRequest('hostKey can only be forgotten, with null; it is learned at the next use', 'hostKey');
  const [needless] = before.kind === 'this_machine' ? given(change) : [];
  if (needless) throw badRequest(`${needless} is not needed for this machine`, needless);
}

export function changedServer(before: ServerTable, change: ServerChange, credentials: StoredCredentials): Changed {
  const row: ServerTable = {
    ...before,
    ...credentials,
    name: change.name ?? before.name,
    host: change.host ?? before.host,
    port: change.port ?? before.port,
    username: change.user ?? before.username,
    base_domain: change.baseDomain === undefined ? before.base_domain : change.baseDomain,
    edge_port: change.edgePort === undefined ? before.edge_port : change.edgePort,
    edge_tls_port: change.edgeTlsPort === undefined ? before.edge_tls_port : change.edgeTlsPort,
    updated_at: Date.now(),
  };
  const isElsewhere = row.host !== before.host || row.port !== before.port;
  const isSentAgain = Boolean(change.password || change.privateKey || change.generateKey);
  const forgets = change.hostKey === null || (isElsewhere && isSentAgain);
  if (forgets) row.host_key = null;
  // Else whoever may change a server, but was never told its password, could have it sent to a machine of their own.
  if (isElsewhere && !row.host_key && row.password && change.password === undefined)
    throw badRequest('password is required again for another host or port, or clear it with null', 'password');
  const isForgotten = before.host_key !== null && row.host_key === null;
  const notice = noticeOf(isForgotten, isElsewhere && row.host_key !== null);
  return { row, isForgotten, ...(notice && { notice }) };
}

function noticeOf(isForgotten: boolean, isKept: boolean): string | undefined {
  if (isForgotten) return 'the host key of before is forgotten; what the machine shows at the next use is kept';
  if (isKept)
    return 'the host key of before still counts: another machine is refused until the credentials are sent again with its address, or hostKey is set to null';
  return undefined;
}
