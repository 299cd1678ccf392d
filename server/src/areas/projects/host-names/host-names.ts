import type { Sql } from '../../../db/database.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { insertHostName, selectHostName } from './store.ts';

const longestLabel = 63;

/**
 * Label of an environment below the base domain. No slug contains two dashes, so labels of different projects never
 * collide.
 */
export const hostLabel = (slug: string, environment: string): string =>
  environment === 'production' ? slug : `${slug}--${environment}`;

type Holder = { organizationId: string; projectId: string; environment: string };

/** Reserves a name for an environment; unique across the instance. */
export async function reserveHostName(sql: Sql, name: string, holder: Holder): Promise<void> {
  if (name.length > longestLabel)
    throw badRequest(
      `the address ${name} would be too long; slug and environment can have ${longestLabel} characters together`,
      'environment',
    );
  const { organizationId, projectId, environment } = holder;
  await insertHostName(sql, { name, organizationId, projectId, environment });
  const owner = await selectHostName(sql, name);
  if (owner?.projectId !== projectId || owner.environment !== environment)
    throw conflict(`the address ${name} is taken; choose another slug or environment`);
}
