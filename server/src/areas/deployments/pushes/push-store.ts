import type { Sql } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';

/** Returns the newest deployment of a project that a push of this commit created. */
export async function deploymentOfPush(
  sql: Sql,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  commitSha: string,
): Promise<string | null> {
  const found = await tenant(sql, organizationId)
    .select('deployments')
    .select('id')
    .where('projectId', '=', projectId)
    .where('commitSha', '=', commitSha)
    .where('trigger', '=', 'push')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}
