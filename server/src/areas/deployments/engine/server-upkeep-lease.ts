import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Db, Trx } from '../../../db/database.ts';

/** Spans several rounds, so that missing one or two does not lose the lease. */
export const upkeepLeaseMs = 35_000;

/** Claims the upkeep of servers for one of several replicas. Returns the ids of those whose lease the owner holds now. */
export async function claimUpkeep(
  db: Db,
  kind: DatabaseKind,
  serverIds: readonly string[],
  owner: string,
): Promise<Set<string>> {
  if (!serverIds.length) return new Set();
  const claimed = await db
    .insertInto('server_upkeep')
    .columns(['serverId', 'owner', 'until'])
    .expression((eb) =>
      eb
        .selectFrom('servers')
        .select(['id', eb.val(owner).as('owner'), eb(databaseNow(kind), '+', upkeepLeaseMs).as('until')])
        .where('id', 'in', serverIds)
        // Replicas that lock rows in different orders would wait for each other.
        .orderBy('id'),
    )
    .onConflict((row) =>
      row
        .column('serverId')
        .doUpdateSet((eb) => ({ owner: eb.ref('excluded.owner'), until: eb.ref('excluded.until') }))
        .where((eb) =>
          eb.or([eb('server_upkeep.owner', '=', owner), eb('server_upkeep.until', '<', databaseNow(kind))]),
        ),
    )
    .returning('serverId')
    .execute();
  return new Set(claimed.map(({ serverId }) => serverId));
}

/** Lets the owner of a server's lease look after another server, too, so that no other replica begins meanwhile. */
export async function passUpkeep(trx: Trx, from: string, serverId: string): Promise<void> {
  const lease = await trx.selectFrom('server_upkeep').selectAll().where('serverId', '=', from).executeTakeFirst();
  if (!lease) return;
  const { owner, until } = lease;
  await trx
    .insertInto('server_upkeep')
    .values({ serverId, owner, until })
    .onConflict((row) => row.column('serverId').doUpdateSet({ owner, until }))
    .execute();
}

/** Expires the leases, so that another replica can take over at once. */
export const releaseUpkeep = (db: Db, owner: string) =>
  db.updateTable('server_upkeep').set({ until: 0 }).where('owner', '=', owner).execute();

/** Whether anything of ours was ever on the server. */
export const hadUpkeep = async (db: Db, serverId: string): Promise<boolean> =>
  (await db.selectFrom('server_upkeep').select('owner').where('serverId', '=', serverId).executeTakeFirst()) !==
  undefined;
