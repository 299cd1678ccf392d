import type { Sql } from '../../../db/database.ts';
import { AppError } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Parts } from '../model/parts.ts';

/** Whether apps and builds run with the service's own rights and the operator has not accepted that. */
export async function isUnconfined({
  isolation,
  containers,
}: Pick<Parts, 'isolation' | 'containers'>): Promise<boolean> {
  if (containers !== undefined) return false;
  const found = await isolation;
  return found.kind === 'none' && found.reason !== null;
}

/** Without confinement, only operators of the instance may deploy. A push has no caller. */
export async function requireOperator(sql: Sql, caller: Caller | undefined): Promise<void> {
  const isAdmin = caller && ['owner', 'admin'].includes(caller.organization.role);
  if (isAdmin && caller.organization.id === (await firstOrganization(sql))) return;
  throw new AppError(
    'isolation_required',
    'This machine cannot confine apps and builds, so only owners and admins of the first organization may deploy to it. ' +
      'Ask the operator to enable user namespaces, to install a container engine, or to set MOORING_PROCESS_ISOLATION=none.',
  );
}

async function firstOrganization(sql: Sql): Promise<string | undefined> {
  const oldest = sql.selectFrom('organizations').select('id').orderBy('createdAt').orderBy('id').limit(1);
  return (await oldest.executeTakeFirst())?.id;
}
