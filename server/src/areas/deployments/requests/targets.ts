import type { Sql } from '../../../db/database.ts';
import type { DeployTarget, ProjectTable } from '../../../db/tables.ts';
import { AppError, badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { DeployableProject, ProjectsPort } from '../model/projects-port.ts';
import { hasLiveDeployments, selectActive } from '../model/store.ts';

/** The target of a request; an upload may already have one. */
export interface AskedTarget {
  deployTarget?: DeployTarget | undefined;
  serverId?: string | undefined;
}

type Upload = { mode: DeployTarget; serverId: string | null } | undefined;

/** Returns the server to deploy to; null for this machine. A project cannot move while something of it runs. */
export async function serverOfDeployment(
  sql: Sql,
  projects: Pick<ProjectsPort, 'serverFor'>,
  caller: Caller,
  { project, environment, asked, upload }: Deployable & { asked: AskedTarget; upload: Upload },
): Promise<string | null> {
  const { serverId } = project;
  const wanted = wantedServer(asked, upload, serverId);
  // Permission to deploy the project includes its own server.
  const found = wanted === null || wanted === serverId ? wanted : await projects.serverFor(sql, caller, wanted);
  await requireSameMachine(sql, { project, environment }, found);
  return found;
}

type Deployable = { project: DeployableProject; environment: string };

function wantedServer(asked: AskedTarget, upload: Upload, own: string | null): string | null {
  const target = asked.deployTarget ?? (asked.serverId === undefined ? upload?.mode : 'server');
  if (target !== undefined && target !== 'server' && asked.serverId !== undefined)
    throw badRequest(`serverId needs the deployTarget server, not ${target}`, 'serverId');
  if (asked.deployTarget === 'local') return null;
  const wanted = asked.serverId ?? (target === 'server' ? upload?.serverId : null) ?? own;
  if (asked.deployTarget === 'server' && wanted === null)
    throw badRequest('serverId is required with the deployTarget server', 'serverId');
  return wanted;
}

/** Rejects a second machine for an environment: the release on the first one would be orphaned. */
export async function requireSameMachine(
  sql: Sql,
  { project, environment }: Deployable,
  serverId: string | null,
): Promise<void> {
  const active = await selectActive(sql, project.organizationId, project.id, environment);
  if (!active || active.serverId === serverId) return requireSameAsOthers(sql, project, serverId);
  const place = active.serverId === null ? 'the machine that runs Mooring' : `the server ${active.serverId}`;
  throw new AppError(
    'not_allowed_now',
    `${environment} of this project runs on ${place}; delete its active deployment before you deploy it elsewhere`,
  );
}

/** Domains, certificates and metrics belong to the project, so all its environments share one machine. */
async function requireSameAsOthers(sql: Sql, project: DeployableProject, serverId: string | null): Promise<void> {
  const { organizationId, id } = project;
  if (project.serverId === serverId || !(await hasLiveDeployments(sql, organizationId, id))) return;
  throw new AppError(
    'not_allowed_now',
    'another environment of this project runs elsewhere; delete its active deployment before you move the project',
  );
}

/** Rejects moving a project that has active or running deployments. */
export async function requireNothingActive(sql: Sql, { id, organizationId }: ProjectTable): Promise<void> {
  if (await hasLiveDeployments(sql, organizationId, id))
    throw badRequest(
      'serverId cannot be changed while the project has an active or running deployment; delete it first',
      'serverId',
    );
}
