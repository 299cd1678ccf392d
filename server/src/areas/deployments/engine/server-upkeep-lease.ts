import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Db } from '../../../db/database.ts';

/** Spans several rounds, so that missing one or two does not lose the lease. */
export const upkeepLeaseMs = 35_000;

/** Claims the upkeep of a server for one of several replicas. True if the owner holds the lease now. */
export async function claimUpkeep(db: Db, kind: DatabaseKind, serverId: string, owner: string): Promise<boolean> {
  const claimed = await db
    .insertInto('server_upkeep')
    .values((eb) => ({ serverId, owner, until: eb(databaseNow(kind), '+', upkeepLeaseMs) }))
    .onConflict((row) =>
      row
        .column('serverId')
        .doUpdateSet((eb) => ({ owner: eb.ref('excluded.owner'), until: eb.ref('excluded.until') }))
        .where((eb) =>
          eb.or([eb('server_upkeep.owner', '=', owner), eb('server_upkeep.until', '<', databaseNow(kind))]),
        ),
    )
    .returning('serverId')
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Expires the leases, so that another replica can take over at once. */
export const releaseUpkeep = (db: Db, owner: string) =>
  db.updateTable('server_upkeep').set({ until: 0 }).where('owner', '=', owner).execute();

/** Whether anything of ours was ever on the server. */
export const hadUpkeep = async (db: Db, serverId: string): Promise<boolean> =>
  (await db.selectFrom('server_upkeep').select('owner').where('serverId', '=', serverId).executeTakeFirst()) !==
  undefined;
