import type { Trx } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { forbidden } from '../../../errors.ts';
import { type AuditActor, recordAudit } from '../../access/port.ts';
import { newDomain } from './rows.ts';
import { selectDomains, selectHolder, selectRemovals } from './store.ts';
import { type ClaimContext, hasMostDomains, claimDomainIfFree, claimDomain, tooManyDomains } from './claim.ts';

/** Domains that a deployment asks for. */
export interface DeploymentDomains {
  actor: AuditActor;
  holder: { organizationId: string; projectId: string; environment: string };
  names: readonly string[];
  /**
   * `request`: named in this request. `settings`: from the project settings, with a user waiting for the response.
   * `again`: from an earlier deployment, with no user to decide.
   */
  asked: 'request' | 'settings' | 'again';
  /** Whether the caller may add domains to the project. */
  mayAdd: boolean;
}

/**
 * Adds the domains that a deployment asks for to its project. A taken name is a conflict, or skipped for `again`; a
 * removed one comes back only if the request names it.
 */
export async function addDeploymentDomains(
  trx: Trx,
  { actor, holder, names, asked, mayAdd }: DeploymentDomains,
  giving: ClaimContext,
): Promise<void> {
  const { organizationId, projectId, environment } = holder;
  const removed = asked === 'request' ? new Set() : await selectRemovals(trx, organizationId, projectId);
  const mine: DomainTable[] = await selectDomains(trx, organizationId, projectId);
  const rows: DomainTable[] = [];
  for (const name of new Set(names)) {
    const known = await selectHolder(trx, name);
    const isMine = known?.projectId === projectId;
    // Settings apply to all environments, a domain to one.
    if (isMine && (known.environment === environment || asked !== 'request')) continue;
    if (removed.has(name) || (known && asked === 'again')) continue;
    if (hasMostDomains([...mine, ...rows])) {
      if (asked === 'again') continue;
      throw tooManyDomains('publicEndpoints');
    }
    const isFirst = ![...mine, ...rows].some((each) => each.environment === environment && each.isPrimary);
    const made = newDomain({ id: projectId, organizationId }, name, environment, actor.userId);
    rows.push({ ...made, isPrimary: isFirst ? 1 : 0 });
  }
  if (rows.length && asked === 'request' && !mayAdd)
    throw forbidden(
      `${rows[0]!.name} is not a domain of the project, and adding it needs the permission project:write`,
    );
  // Fixed order, so that two deployments that want the same names do not deadlock.
  for (const row of rows.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    if (asked !== 'again') await claimDomain(trx, row, giving);
    else if (!(await claimDomainIfFree(trx, row, giving))) continue;
    const target = { id: projectId, name: row.name };
    const details = { project: projectId, by: 'deployment' };
    await recordAudit(trx, organizationId, actor, { action: 'domain.added', target, details });
  }
}
