import type { Sql } from '../../db/database.ts';
import { isInDomain } from './domains/domain-name.ts';
import { selectLabelHolders, selectProvenProject } from './free-names-store.ts';

/** Holder of a name below the base domain of its server. */
export interface FreeHolder {
  name: string;
  /** The holder's part of the name: `api.shop` is a service of the project with the label `shop`. */
  label: string;
  baseDomain: string;
  organizationId: string;
  projectId: string;
  environment: string;
  serverId: string | null;
}

type Row = Awaited<ReturnType<typeof selectLabelHolders>>[number];

/** Returns the parts of a name that may be labels. */
export const possibleLabels = (name: string): string[] => name.split('.').slice(0, -1);

/**
 * Returns the possible holders of a name, best first. Labels are unique, but domains of servers are user input and
 * may be equal or nested. The instance's base domain comes first, then exact labels before names below a label, then
 * the older project.
 */
export function holdersOf(name: string, rows: readonly Row[], baseDomain: string): FreeHolder[] {
  return rows
    .map((row) => ({ ...row, baseDomain: row.baseDomain ?? baseDomain }))
    .filter((each) => isInDomain(name, `${each.label}.${each.baseDomain}`))
    .toSorted((one, other) => rankOf(one) - rankOf(other) || one.createdAt - other.createdAt)
    .map(({ createdAt: _age, ...holder }) => ({ ...holder, name }));

  function rankOf(each: { label: string; baseDomain: string }): number {
    const isOfInstance = each.baseDomain === baseDomain;
    return (isOfInstance ? 0 : 2) + (name === `${each.label}.${each.baseDomain}` ? 0 : 1);
  }
}

/**
 * Prefers the project with an issued certificate, so that nobody can take a name by renaming their server's domain.
 */
export async function chooseFreeHolder(sql: Sql, holders: readonly FreeHolder[]): Promise<FreeHolder | undefined> {
  const [first, ...others] = holders;
  if (!first || !others.length) return first;
  const proven = await selectProvenProject(sql, first.name);
  return holders.find(({ projectId }) => projectId === proven) ?? first;
}

/** Returns the holder of a free name. */
export async function freeHolderOf(sql: Sql, baseDomain: string, name: string): Promise<FreeHolder | undefined> {
  return chooseFreeHolder(sql, holdersOf(name, await selectLabelHolders(sql, possibleLabels(name)), baseDomain));
}
