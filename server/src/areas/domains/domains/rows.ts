import type { DomainTable, ProjectTable } from '../../../db/tables.ts';
import { newId } from '../../../lib/ids.ts';
import { readRedirect, redirectsAway, requireNoCircle } from './redirects.ts';
import type { DomainBody, DomainChange } from './schemas.ts';

/** A name that nobody has written down yet. */
export const newDomain = (
  { id, organization_id }: Pick<ProjectTable, 'id' | 'organization_id'>,
  name: string,
  environment: string,
  userId: string,
): DomainTable => ({
  id: newId('dom'),
  organization_id,
  project_id: id,
  environment,
  name,
  service: null,
  path: '/',
  redirect_to: null,
  is_primary: 0,
  https: 'redirect',
  hsts_seconds: null,
  pointing: null,
  checked_at: null,
  created_by: userId,
  created_at: Date.now(),
  updated_at: Date.now(),
});

/** What of a row a change sets. */
export const changes = ({ service, path, isPrimary, https, hstsSeconds }: DomainChange): Partial<DomainTable> => ({
  ...(service !== undefined && { service }),
  ...(path !== undefined && { path }),
  ...(isPrimary !== undefined && { is_primary: isPrimary ? 1 : 0 }),
  ...(https !== undefined && { https }),
  ...(hstsSeconds !== undefined && { hsts_seconds: hstsSeconds }),
});

/** The name as somebody asks for it, beside the others of the project. The first of an environment is its primary one. */
export function domainOf(
  project: Pick<ProjectTable, 'id' | 'organization_id'>,
  others: readonly DomainTable[],
  body: DomainBody,
  userId: string,
): DomainTable {
  const { name, environment, redirectTo } = body;
  if (redirectTo !== null && body.isPrimary) throw redirectsAway();
  const isFirst = !others.some((each) => each.environment === environment && each.is_primary);
  const isPrimary = redirectTo === null && (body.isPrimary ?? isFirst);
  const made: DomainTable = {
    ...newDomain(project, name, environment, userId),
    ...changes({ ...body, isPrimary }),
    redirect_to: readRedirect(redirectTo, name),
  };
  requireNoCircle(made, others);
  return made;
}
