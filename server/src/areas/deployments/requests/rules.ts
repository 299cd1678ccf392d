import type { Sql } from '../../../db/database.ts';
import { AppError, badRequest, notAllowedNow } from '../../../errors.ts';
import { fitInEnvironment } from '../../projects/port.ts';
import type { NewDeployment } from './create.ts';
import type { DeployableProject } from '../model/projects-port.ts';
import { selectPending } from '../model/stack-store.ts';

/** Limit of a DNS label. The address of an environment is one label, with two dashes in it. */
const longestLabel = 63;

/** Rejects deployments that can never run, before anything is stored. */
export function requireRunnable({ environment, config: { slug, variables } }: NewDeployment): void {
  if (environment !== 'production' && `${slug}--${environment}`.length > longestLabel)
    throw badRequest(`environment must be shorter: it forms one label of a domain name with ${slug}`, 'environment');
  if (!fitInEnvironment(variables))
    throw badRequest('envVars must have at most 1 MB together with the variables of the project', 'envVars');
}

/** A project in the cloud is deployed there. */
export function requireNotInCloud({ isInCloud }: DeployableProject): void {
  if (isInCloud) throw notAllowedNow('this project runs in the cloud; bring it home before you deploy it here');
}

/** A partial failure blocks the environment until it is kept or rejected. */
export async function requireDecided(
  sql: Sql,
  { organizationId, projectId, environment }: { organizationId: string; projectId: string; environment: string },
): Promise<void> {
  const pending = await selectPending(sql, organizationId, projectId, environment);
  if (pending)
    throw new AppError('decision_pending', `deployment ${pending.id} needs a decision; keep or reject it first`);
}
