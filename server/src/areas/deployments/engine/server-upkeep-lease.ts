import { databaseNow } from '../../../db/clock.ts';
import type { DatabaseKind, Db } from '../../../db/database.ts';

/** Some rounds long: who misses one or two is not replaced. */
export const upkeepLeaseMs = 35_000;

/** Of several replicas one looks after a server. True when that is the owner from here on, for the length of the lease. */
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

/** Somebody else may begin at once. */
export const releaseUpkeep = (db: Db, owner: string) =>
  db.updateTable('server_upkeep').set({ until: 0 }).where('owner', '=', owner).execute();

/** Whether something of ours was there at any time. */
export const hadUpkeep = async (db: Db, serverId: string): Promise<boolean> =>
  (await db.selectFrom('server_upkeep').select('owner').where('serverId', '=', serverId).executeTakeFirst()) !==
  undefined;
