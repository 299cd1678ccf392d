import type { Sql } from '../../../db/database.ts';
import type { ServerTable } from '../../../db/tables.ts';
import { forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { hasAccessTo, canSee } from '../../access/port.ts';
import { selectServer } from './store.ts';

/** Returns the server if the caller may do `action`; without any grant it is reported as not found. */
export async function visibleServer(sql: Sql, caller: Caller, id: string, action: Action): Promise<ServerTable> {
  const row = await selectServer(sql, caller.organization.id, id);
  if (!row || !canSee(caller, 'server', id)) throw notFound('server');
  if (!hasAccessTo(caller, 'server', id, action)) throw forbidden(`you were not granted ${action} on this server`);
  return row;
}
