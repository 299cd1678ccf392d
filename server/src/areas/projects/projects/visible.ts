import type { Sql } from '../../../db/database.ts';
import type { ProjectTable } from '../../../db/tables.ts';
import { forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import { hasAccessTo, canSee } from '../../access/port.ts';
import { selectProject } from './store.ts';

/** Returns the project if the caller may do `action`; without any grant it is reported as not found. */
export async function visibleProject(sql: Sql, caller: Caller, id: string, action: Action): Promise<ProjectTable> {
  const row = await selectProject(sql, caller.organization.id, id);
  if (!row || !canSee(caller, 'project', id)) throw notFound('project');
  if (!hasAccessTo(caller, 'project', id, action)) throw forbidden(`you were not granted ${action} on this project`);
  return row;
}
