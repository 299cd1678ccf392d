import type { Trx } from '../../../db/database.ts';
import type { DomainTable } from '../../../db/tables.ts';
import { badRequest, conflict } from '../../../errors.ts';
import { recordAudit } from '../../access/port.ts';
import { lockProject } from '../../projects/port.ts';
import { type FreeHolder, freeHolderOf } from '../free-names.ts';
import type { Claims } from './claims.ts';
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

type Of = { organizationId: string; projectId: string };

/** Holds the projects that a name goes from and to. In one order always: of two who take from each other neither waits for both. */
export async function lockProjects(trx: Trx, ...projects: Of[]): Promise<void> {
  for (const { organizationId, projectId } of projects.toSorted((a, b) => (a.projectId < b.projectId ? -1 : 1)))
    await lockProject(trx, organizationId, projectId);
}

export const hasMostDomains = (domains: readonly DomainTable[]): boolean => domains.length >= mostOfProject;

export const tooManyDomains = (field: string) => badRequest(`a project has at most ${mostOfProject} domains`, field);

/** How names are given away. */
export type ClaimContext = {
  claims: Claims;
  /** The instance's own. */
  baseDomain: string;
};

/** Writes the name down for its project, if nobody has it. Whoever has proven it gets it also from somebody whose free name it is. */
export async function claimDomain(trx: Trx, row: DomainTable, giving: ClaimContext, isProven = false): Promise<void> {
  const free = await freeElsewhere(trx, row, giving);
  if (free && !(isProven && free.organizationId !== row.organizationId)) throw takenByFree(free, row, giving);
  if (free) await takeFree(trx, free);
  if (!(await insert(trx, row))) throw await takenBy(trx, row, giving);
}

/** The same, without a word when somebody has it: false. */
export async function claimDomainIfFree(trx: Trx, row: DomainTable, giving: ClaimContext): Promise<boolean> {
  return !(await freeElsewhere(trx, row, giving)) && insert(trx, row);
}

async function insert(trx: Trx, row: DomainTable): Promise<boolean> {
  if (!(await insertDomain(trx, row))) return false;
  await deleteRemoval(trx, row);
  return true;
}

/** Whoever answers there already because of the domain of a server. */
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
  // It was let go of in between.
  if (!holder) return conflict(`${row.name} is just changing hands; try again`);
  if (holder.organizationId !== row.organizationId) return claims.refusal(holder, row.organizationId);
  return conflict(
    holder.projectId === row.projectId
      ? `${row.name} already belongs to this project, in the environment ${holder.environment}`
      : `${row.name} belongs to another project of this organization; remove it there first`,
  );
}

/** The project has the name no longer, nor its certificate, and what asked for it before does not bring it back. False when it
 * had it no longer. */
export async function releaseDomain(trx: Trx, row: DomainTable): Promise<boolean> {
  if (!(await deleteDomain(trx, row.organizationId, row))) return false;
  await insertRemoval(trx, row);
  if (row.isPrimary) await nextPrimary(trx, row);
  return true;
}

/** Takes the name from whoever cannot prove it; they are told in their audit log, but not who has it now. */
export async function revokeDomain(trx: Trx, from: DomainTable): Promise<boolean> {
  if (!(await releaseDomain(trx, from))) return false;
  await noteLoss(trx, from);
  return true;
}

/** The same of a name below the domain of a server. What lives there goes on to answer under it, for whoever is led there. */
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

/** The oldest of the others that answers. */
export async function nextPrimary(trx: Trx, before: DomainTable): Promise<void> {
  const { id, organizationId, projectId, environment } = before;
  const left = await selectDomains(trx, organizationId, projectId);
  const [next] = left
    .filter((each) => each.id !== id && each.environment === environment && each.redirectTo === null)
    .toSorted((one, other) => one.createdAt - other.createdAt);
  if (next) await updateDomain(trx, organizationId, next.id, { isPrimary: 1 });
}
