import type { Trx } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { recordAudit } from '../../access/port.ts';
import { lockProject } from '../../projects/port.ts';
import { type FreeHolder, freeHolderOf } from '../free-names.ts';
import type { ProjectRef } from '../release-names.ts';
import type { OwnershipClaims } from './ownership-claims.ts';
import {
  deleteCertificates,
  deleteDomain,
  deleteRemoval,
  insertDomain,
  insertRemoval,
  selectDomains,
  selectHolder,
  updateDomain,
} from './store.ts';

const mostOfProject = 100;

/** Locks projects in a fixed order, so that two that take names from each other do not deadlock. */
export async function lockProjects(trx: Trx, ...projects: ProjectRef[]): Promise<void> {
  for (const { organizationId, projectId } of projects.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1)))
    await lockProject(trx, organizationId, projectId);
}

export const hasMostDomains = (domains: readonly DomainTable[]): boolean => domains.length >= mostOfProject;

export const tooManyDomains = (field: string) => badRequest(`a project has at most ${mostOfProject} domains`, field);

export type ClaimContext = {
  claims: OwnershipClaims;
  /** Base domain of the instance. */
  baseDomain: string;
};

/**
 * Assigns the name to its project if it is free. A proven owner also gets it from another organization's free name.
 */
export async function claimDomain(trx: Trx, row: DomainTable, giving: ClaimContext, isProven = false): Promise<void> {
  const free = await freeElsewhere(trx, row, giving);
  if (free && !(isProven && free.organizationId !== row.organizationId)) throw takenByFree(free, row, giving);
  if (free) await takeFree(trx, free);
  if (!(await insert(trx, row))) throw await takenBy(trx, row, giving);
}

/** Like `claimDomain`, but returns false if the name is taken. */
export async function claimDomainIfFree(trx: Trx, row: DomainTable, giving: ClaimContext): Promise<boolean> {
  return !(await freeElsewhere(trx, row, giving)) && insert(trx, row);
}

async function insert(trx: Trx, row: DomainTable): Promise<boolean> {
  if (!(await insertDomain(trx, row))) return false;
  await deleteRemoval(trx, row);
  return true;
}

/** Returns the project that already has the name below the domain of a server. */
async function freeElsewhere(
  trx: Trx,
  row: DomainTable,
  { baseDomain }: ClaimContext,
): Promise<FreeHolder | undefined> {
  const holder = await freeHolderOf(trx, baseDomain, row.name);
  return holder?.projectId === row.projectId && holder.environment === row.environment ? undefined : holder;
}

function takenByFree(holder: FreeHolder, row: DomainTable, { claims }: ClaimContext): Error {
  if (holder.organizationId !== row.organizationId) return claims.refusal(holder, row.organizationId);
  return conflict(
    `${row.name} is below ${holder.baseDomain} and the address of another project there; choose another one`,
  );
}

async function takenBy(trx: Trx, row: DomainTable, { claims }: ClaimContext): Promise<Error> {
  const holder = await selectHolder(trx, row.name);
  // The holder released it in between.
  if (!holder) return conflict(`${row.name} is being moved to another project; try again`);
  if (holder.organizationId !== row.organizationId) return claims.refusal(holder, row.organizationId);
  return conflict(
    holder.projectId === row.projectId
      ? `${row.name} already belongs to this project, in the environment ${holder.environment}`
      : `${row.name} belongs to another project of this organization; remove it there first`,
  );
}

/**
 * Releases a name and its certificates, and records the removal so that redeployments do not bring it back. False if
 * the project no longer had it.
 */
export async function releaseDomain(trx: Trx, row: DomainTable): Promise<boolean> {
  if (!(await deleteDomain(trx, row.organizationId, row))) return false;
  await insertRemoval(trx, row);
  if (row.isPrimary) await nextPrimary(trx, row);
  return true;
}

/**
 * Takes the name from a project that cannot prove ownership. Its audit log records the loss, but not the new owner.
 */
export async function revokeDomain(trx: Trx, from: DomainTable): Promise<boolean> {
  if (!(await releaseDomain(trx, from))) return false;
  await noteLoss(trx, from);
  return true;
}

/**
 * The same for a name below the domain of a server. The project there keeps serving it to clients whose DNS points to
 * it.
 */
async function takeFree(trx: Trx, from: FreeHolder): Promise<void> {
  await deleteCertificates(trx, from.organizationId, from.name);
  await noteLoss(trx, from);
}

async function noteLoss(trx: Trx, { organizationId, projectId, name }: DomainTable | FreeHolder): Promise<void> {
  const actor = { userId: 'dns', email: 'the owner of the domain', ip: '' };
  await recordAudit(trx, organizationId, actor, {
    action: 'domain.lost',
    target: { id: projectId, name },
    details: { project: projectId, provenBy: `TXT record _mooring.${name}` },
  });
}

/** Makes the oldest other domain that does not redirect the primary one. */
export async function nextPrimary(trx: Trx, before: DomainTable): Promise<void> {
  const { id, organizationId, projectId, environment } = before;
  const left = await selectDomains(trx, organizationId, projectId);
  const [next] = left
    .filter((each) => each.id !== id && each.environment === environment && each.redirectTo === null)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  if (next) await updateDomain(trx, organizationId, next.id, { isPrimary: 1 });
}
