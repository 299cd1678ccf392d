import type { Sql } from '../../db/database.ts';
import { isBelow } from './domains/name.ts';
import { selectLabelHolders, selectProvenProject } from './free-names-store.ts';

/** Who has a name below the domain of the machine that the project lives on. */
export interface FreeHolder {
  name: string;
  /** What of it is theirs: `api.shop` is a service of whoever has `shop`. */
  label: string;
  baseDomain: string;
  organizationId: string;
  projectId: string;
  environment: string;
  serverId: string | null;
}

type Row = Awaited<ReturnType<typeof selectLabelHolders>>[number];

/** What of a name may be a label. */
export const labelsIn = (name: string): string[] => name.split('.').slice(0, -1);

/** Labels are one project's each, in the whole instance, but domains of servers are whatever somebody says: one may be the same as
 * another's, or below it. Whoever lives below the instance's own domain comes before all of them, a name that is a label before one
 * below a label, and of the others the older one. */
export function holdersOf(name: string, rows: readonly Row[], baseDomain: string): FreeHolder[] {
  return rows
    .map((row) => ({ ...row, baseDomain: row.baseDomain ?? baseDomain }))
    .filter((each) => isBelow(name, `${each.label}.${each.baseDomain}`))
    .toSorted((one, other) => rankOf(one) - rankOf(other) || one.createdAt - other.createdAt)
    .map(({ createdAt: _age, ...holder }) => ({ ...holder, name }));

  function rankOf(each: { label: string; baseDomain: string }): number {
    const isOfInstance = each.baseDomain === baseDomain;
    return (isOfInstance ? 0 : 2) + (name === `${each.label}.${each.baseDomain}` ? 0 : 1);
  }
}

/** Of several who may have it: who has proven it to an authority keeps it, so that nobody takes it by what their server is called. */
export async function chooseFreeHolder(sql: Sql, holders: readonly FreeHolder[]): Promise<FreeHolder | undefined> {
  const [first, ...others] = holders;
  if (!first || !others.length) return first;
  const proven = await selectProvenProject(sql, first.name);
  return holders.find(({ projectId }) => projectId === proven) ?? first;
}

/** Whose a free name is. */
export async function freeHolderOf(sql: Sql, baseDomain: string, name: string): Promise<FreeHolder | undefined> {
  return chooseFreeHolder(sql, holdersOf(name, await selectLabelHolders(sql, labelsIn(name)), baseDomain));
}
