import type { Sql } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';

/** The newest deployment that a push of this commit has made, of a project. */
export async function deploymentOfPush(
  sql: Sql,
  { organization_id, project_id }: { organization_id: string; project_id: string },
  commitSha: string,
): Promise<string | null> {
  const found = await tenant(sql, organization_id)
    .select('deployments')
    .select('id')
    .where('project_id', '=', project_id)
    .where('commit_sha', '=', commitSha)
    .where('trigger', '=', 'push')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return found?.id ?? null;
}
