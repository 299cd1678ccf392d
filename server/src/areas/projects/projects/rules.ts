import type { ProjectTable } from '../../../db/tables.ts';
import type { Sql } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import { type AppError, badRequest, conflict, forbidden, notFound } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { mayOn } from '../../access/port.ts';
import { changedFields } from './change.ts';
import type { LocalSources } from './local-sources.ts';
import type { ProjectChange } from './schemas.ts';

/** A restricted member has what it was given and makes nothing new. */
export function requireMayCreate({ organization }: Caller): void {
  if (organization.role === 'restricted') throw forbidden('you have grants on single projects and cannot create one');
}

/** Rules over single fields; only what would really change is looked at. `before` is null for a new project. */
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

/** A trusted project reaches the machine itself, which belongs to whoever set the instance up. */
function requireMayTrust({ isInstanceOwner }: Caller, mode: 'self-hosted' | 'cloud'): void {
  if (mode === 'cloud') throw forbidden('projects cannot be trusted in cloud mode');
  if (!isInstanceOwner) throw forbidden('only the instance owner may mark a project as trusted');
}

/** A restricted member must not read by way of a project what it may not read itself. */
export function requireMayUse(caller: Caller, source: NonNullable<ProjectChange['source']>): void {
  if (caller.organization.role !== 'restricted') return;
  if (source.type === 'local') throw forbidden('you cannot deploy folders of this machine');
  if (source.type === 'githost' && !mayOn(caller, 'repository', `${source.owner}/${source.repo}`, 'read'))
    throw notFound('repository');
}

/** Whether a promotion to the cloud has begun and not come to its end. */
export const isOnItsWay = ({ cloudBusyUntil }: Pick<ProjectTable, 'cloudBusyUntil'>): boolean =>
  (cloudBusyUntil ?? 0) > Date.now();

export const onItsWay = (): AppError => conflict('this project is being promoted; try again when that has finished');

/** Throws when the project lives in the cloud by now, or is on its way there. The caller holds the project. */
export function requireHere(project: Pick<ProjectTable, 'cloudState' | 'cloudBusyUntil'>): void {
  if (project.cloudState === 'there') throw conflict('this project has just moved to the cloud; try again');
  if (isOnItsWay(project)) throw onItsWay();
}

/** Several replicas write to a volume only where somebody has allowed that. */
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
