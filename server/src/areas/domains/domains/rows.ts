import type { DomainTable, ProjectTable } from '../../../db/tables.ts';
import { newId } from '../../../lib/ids.ts';
import { readRedirect, redirectsAway, requireNoCircle } from './redirects.ts';
import type { DomainBody, DomainChange } from './schemas.ts';

/** Returns a new row with the defaults. */
export const newDomain = (
  { id, organizationId }: Pick<ProjectTable, 'id' | 'organizationId'>,
  name: string,
  environment: string,
  userId: string,
): DomainTable => ({
  id: newId('dom'),
  organizationId,
  projectId: id,
  environment,
  name,
  service: null,
  path: '/',
  redirectTo: null,
  isPrimary: 0,
  https: 'redirect',
  hstsSeconds: null,
  pointing: null,
  checkedAt: null,
  createdBy: userId,
  createdAt: Date.now(),
  updatedAt: Date.now(),
});

export const changedColumns = ({
  service,
  path,
  isPrimary,
  https,
  hstsSeconds,
}: DomainChange): Partial<DomainTable> => ({
  ...(service !== undefined && { service }),
  ...(path !== undefined && { path }),
  ...(isPrimary !== undefined && { isPrimary: isPrimary ? 1 : 0 }),
  ...(https !== undefined && { https }),
  ...(hstsSeconds !== undefined && { hstsSeconds }),
});

/** Returns the row for a request. The first domain of an environment becomes its primary one. */
export function domainRowOf(
  project: Pick<ProjectTable, 'id' | 'organizationId'>,
  others: readonly DomainTable[],
  body: DomainBody,
  userId: string,
): DomainTable {
  const { name, environment, redirectTo } = body;
  if (redirectTo !== null && body.isPrimary) throw redirectsAway();
  const isFirst = !others.some((each) => each.environment === environment && each.isPrimary);
  const isPrimary = redirectTo === null && (body.isPrimary ?? isFirst);
  const made: DomainTable = {
    ...newDomain(project, name, environment, userId),
    ...changedColumns({ ...body, isPrimary }),
    redirectTo: readRedirect(redirectTo, name),
  };
  requireNoCircle(made, others);
  return made;
}
