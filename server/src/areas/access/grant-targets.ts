import type { Sql, Trx } from '../../db/database.ts';
import { tenant } from '../../db/tenant.ts';
import { notFound } from '../../errors.ts';
import type { Grant, GrantResource } from '../../http/caller.ts';
import { grantsIn, isSameResource } from './grants.ts';

/** Returns the ids that belong to the organization. */
type FindOwn = (sql: Sql, organizationId: string, ids: string[]) => Promise<Set<string>>;

/** Resources that can be granted. Each area registers its own; ids of unregistered resources are not checked. */
export class GrantTargets {
  readonly #owners = new Map<GrantResource, FindOwn>();

  tellOf(resource: GrantResource, findOwn: FindOwn): void {
    this.#owners.set(resource, findOwn);
  }

  /** Throws a 404 for unknown ids and those of other organizations alike. */
  async require(sql: Sql, organizationId: string, grants: Grant[]): Promise<void> {
    for (const [resource, findOwn] of this.#owners) {
      const ids = grants.filter((grant) => grant.resource === resource).map(({ id }) => id);
      const own = ids.length ? await findOwn(sql, organizationId, ids) : new Set<string>();
      if (ids.some((id) => !own.has(id))) throw notFound(resource);
    }
  }
}

/** Removes all grants on a deleted resource. Call it in the transaction that deletes it. */
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
        (each) => each.resource !== resource || !isSameResource(resource, each.id, id),
      );
      await tenant(trx, organizationId)
        .update(table, { grants: JSON.stringify(kept) })
        .where('id', '=', holder.id)
        .execute();
    }
  }
}
