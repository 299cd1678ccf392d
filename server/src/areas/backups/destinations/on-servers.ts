import type { Trx } from '../../../db/database.ts';
import type { StorageKind } from '../../../drivers/storage/storage.ts';
import { AppError, badRequest } from '../../../errors.ts';
import { type Caller, hasPermission } from '../../../http/caller.ts';
import { hasAccessTo } from '../../access/port.ts';
import { selectKnownServers } from '../../servers/port.ts';
import { type DestinationRow, selectDestinationsOfKinds } from './store.ts';
import { optionsIn } from './values.ts';

/** Whether destinations of this kind are on a server. */
export const isOnServer = ({ fields }: StorageKind): boolean => fields.some(({ type }) => type === 'server');

const serverIdOf = (row: Pick<DestinationRow, 'options'>) => optionsIn(row)['serverId'];

export const noSuchServer = () => badRequest('serverId is not a server of this organization', 'serverId');

/** The server may have been deleted since the check; the organization lock keeps it now. */
export async function requireServerThere(trx: Trx, row: DestinationRow): Promise<void> {
  const serverId = String(serverIdOf(row) ?? '');
  if (!(await selectKnownServers(trx, row.organizationId, [serverId])).has(serverId)) throw noSuchServer();
}

/** Rejects deleting a server with destinations. Names those that the caller may see. */
export async function requireServerUnused(
  trx: Trx,
  caller: Caller,
  kinds: StorageKind[],
  serverId: string,
): Promise<void> {
  const named = kinds.filter(isOnServer).map(({ kind }) => kind);
  const all = await selectDestinationsOfKinds(trx, caller.organization.id, named);
  const using = all.filter((row) => serverIdOf(row) === serverId);
  if (!using.length) return;
  const isSeen = ({ id }: { id: string }) =>
    hasPermission(caller, 'backup_destination:list') && hasAccessTo(caller, 'backup_destination', id, 'list');
  const seen = using.filter(isSeen).map(({ name }) => name);
  const others = using.length - seen.length;
  const hidden = others ? [`${others}${seen.length ? ' more' : ''} that you may not see`] : [];
  throw new AppError(
    'server_in_use',
    `backup destinations are on this server: ${[...seen, ...hidden].join(', ')}; remove or change them first`,
  );
}
