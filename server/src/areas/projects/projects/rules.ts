import type { ProjectTable } from '../../../db/tables.ts';
import type { Sql } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import { type AppError, badRequest, conflict, forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { hasAccessTo } from '../../access/port.ts';
import { changedFields } from './change.ts';
import type { LocalSources } from './local-sources.ts';
import type { ProjectChange } from './schemas.ts';

/** Restricted members cannot create projects. */
export function requireMayCreate({ organization }: Caller): void {
  if (organization.role === 'restricted') throw forbidden('you have grants on single projects and cannot create one');
}

/** Checks field-level permissions of changed fields. `before` is null for a new project. */
export function requireMayChange(
  caller: Caller,
  mode: 'self-hosted' | 'cloud',
  change: ProjectChange,
  before: ProjectTable | null,
  localSources: LocalSources,
): void {
  const changes = (field: keyof ProjectChange) =>
    change[field] !== undefined && (!before || changedFields(before, { [field]: change[field] }).length > 0);
  if (change.trusted && changes('trusted')) requireMayTrust(caller, mode);
  if (!change.source || !changes('source')) return;
  requireMayUse(caller, change.source);
  if (change.source.type === 'local') localSources.requireFor(caller);
}

/** A trusted project has access to the machine, which belongs to the instance owner. */
function requireMayTrust({ isInstanceOwner }: Caller, mode: 'self-hosted' | 'cloud'): void {
  if (mode === 'cloud') throw forbidden('projects cannot be trusted in cloud mode');
  if (!isInstanceOwner) throw forbidden('only the instance owner may mark a project as trusted');
}

/** Restricted members must not read through a project what they may not read themselves. */
export function requireMayUse(caller: Caller, source: NonNullable<ProjectChange['source']>): void {
  if (caller.organization.role !== 'restricted') return;
  if (source.type === 'local') throw forbidden('you cannot deploy folders of this machine');
  if (source.type === 'githost' && !hasAccessTo(caller, 'repository', `${source.owner}/${source.repo}`, 'read'))
    throw notFound('repository');
}

/** Whether a promotion to the cloud is running. */
export const isBeingPromoted = ({ cloudBusyUntil }: Pick<ProjectTable, 'cloudBusyUntil'>): boolean =>
  (cloudBusyUntil ?? 0) > Date.now();

export const beingPromotedError = (): AppError =>
  conflict('this project is being promoted; try again when that has finished');

/** Throws if the project is in the cloud, or being promoted. The caller holds the project lock. */
export function requireNotPromoted(project: Pick<ProjectTable, 'cloudState' | 'cloudBusyUntil'>): void {
  if (project.cloudState === 'there') throw conflict('this project has just moved to the cloud; try again');
  if (isBeingPromoted(project)) throw beingPromotedError();
}

/** Several replicas may share a volume only if it allows overlap. */
export async function requireSharedVolumes(
  sql: Sql,
  { id, organizationId }: Pick<ProjectTable, 'id' | 'organizationId'>,
) {
  const volume = await tenant(sql, organizationId)
    .select('volumes')
    .select('name')
    .where('projectId', '=', id)
    .where('removedAt', 'is', null)
    .where('overlap', '=', 0)
    .executeTakeFirst();
  if (volume)
    throw badRequest(
      `replicas: only one replica may write to the volume ${volume.name}, unless it allows overlap`,
      'replicas',
    );
}
