import type { Sql } from '../../../db/database.ts';
import type { DeployTarget, ProjectTable } from '../../../db/tables.ts';
import { AppError, badRequest } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { DeployableProject, ProjectsPort } from '../model/projects-port.ts';
import { isAnythingLeft, selectActive } from '../model/store.ts';

/** Where a request wants something to be deployed; an upload may have said so already. */
export interface AskedTarget {
  deployTarget?: DeployTarget | undefined;
  serverId?: string | undefined;
}

type Upload = { mode: DeployTarget; serverId: string | null } | undefined;

/** The server that a deployment goes to; null for this machine. A project stays where it is while something of it runs. */
export async function serverOfDeployment(
  sql: Sql,
  projects: Pick<ProjectsPort, 'serverFor'>,
  caller: Caller,
  { project, environment, asked, upload }: Deployable & { asked: AskedTarget; upload: Upload },
): Promise<string | null> {
  const { serverId } = project;
  const wanted = wantedServer(asked, upload, serverId);
  // Who may deploy the project may do that where it lives.
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

/** Two machines cannot answer for one environment: the one that does is not left alone with what it has. */
export async function requireSameMachine(
  sql: Sql,
  { project, environment }: Deployable,
  serverId: string | null,
): Promise<void> {
  const active = await selectActive(sql, project.organizationId, project.id, environment);
  if (!active || active.serverId === serverId) return requireSameAsOthers(sql, project, serverId);
  const place = active.serverId === null ? 'the machine of Mooring' : `the server ${active.serverId}`;
  throw new AppError(
    'not_allowed_now',
    `${environment} of this project runs on ${place}; delete its active deployment before you deploy it elsewhere`,
  );
}

/** Names, certificates and figures are those of a project: all its environments live on one machine. */
async function requireSameAsOthers(sql: Sql, project: DeployableProject, serverId: string | null): Promise<void> {
  const { organizationId, id } = project;
  if (project.serverId === serverId || !(await isAnythingLeft(sql, organizationId, id))) return;
  throw new AppError(
    'not_allowed_now',
    'another environment of this project runs elsewhere; delete its active deployment before you move the project',
  );
}

/** The same for a project that is to live elsewhere from now on. */
export async function requireNothingActive(sql: Sql, { id, organizationId }: ProjectTable): Promise<void> {
  if (await isAnythingLeft(sql, organizationId, id))
    throw badRequest(
      'serverId cannot be changed while the project has an active or running deployment; delete it first',
      'serverId',
    );
}
