import type { Sql } from '../../../db/database.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { insertHostName, selectHostName } from './store.ts';

const longestLabel = 63;

/** The first part of an address under the instance's own domain. Two dashes: no slug has them, so that no environment of
 * one project is the address of another. */
export const hostLabel = (slug: string, environment: string): string =>
  environment === 'production' ? slug : `${slug}--${environment}`;

type Holder = { organizationId: string; projectId: string; environment: string };

/** Gives a name to a project's environment for as long as it answers there: one owner each, in the whole instance. */
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
