import type { Sql, Trx } from '../../db/database.ts';
import { tenant } from '../../db/tenant.ts';
import { notFound } from '../../errors.ts';
import type { Grant, GrantResource } from '../../http/caller.ts';
import { grantsIn, isSameThing } from './grants.ts';

/** Gives those of the ids that are things of the organization. */
type FindOwn = (sql: Sql, organizationId: string, ids: string[]) => Promise<Set<string>>;

/** What can be granted: the area that owns a kind of thing tells which ones there are. A kind that nobody tells about
 * yet is taken as it comes. */
export class GrantTargets {
  readonly #owners = new Map<GrantResource, FindOwn>();

  tellOf(resource: GrantResource, findOwn: FindOwn): void {
    this.#owners.set(resource, findOwn);
  }

  /** A 404 for a thing of another organization as for one that nobody has. */
  async require(sql: Sql, organizationId: string, grants: Grant[]): Promise<void> {
    for (const [resource, findOwn] of this.#owners) {
      const ids = grants.filter((grant) => grant.resource === resource).map(({ id }) => id);
      const own = ids.length ? await findOwn(sql, organizationId, ids) : new Set<string>();
      if (ids.some((id) => !own.has(id))) throw notFound(resource);
    }
  }
}

/** Nobody keeps a grant on something that is gone; call it in the transaction that removes the thing. */
export async function withdrawGrants(
  trx: Trx,
  organizationId: string,
  resource: GrantResource,
  id: string,
): Promise<void> {
  for (const table of ['members', 'invitations'] as const) {
    const holders = await tenant(trx, organizationId)
      .select(table)
      .select(['id', 'grants'])
      .where((eb) => eb(eb.fn<string>('lower', ['grants']), 'like', `%${id.toLowerCase()}%`))
      .execute();
    for (const holder of holders) {
      const kept = grantsIn(table, holder).filter(
        (each) => each.resource !== resource || !isSameThing(resource, each.id, id),
      );
      await tenant(trx, organizationId)
        .update(table, { grants: JSON.stringify(kept) })
        .where('id', '=', holder.id)
        .execute();
    }
  }
}
