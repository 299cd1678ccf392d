import type { Db } from '../../../db/database.ts';
import { tenant } from '../../../db/tenant.ts';
import { selectReservations } from '../../deployments/port.ts';

type Used = { projects: number; builds: number; memory: number; cpu: number };

/** Returns the usage with one query. */
export async function selectUsed(db: Db, organizationId: string): Promise<Used> {
  const own = tenant(db, organizationId);
  const { projects, builds, memory, cpu } = await db
    .selectFrom(selectReservations(db, organizationId).as('counted'))
    .select((eb) => [
      eb.fn.sum('counted.memory').as('memory'),
      eb.fn.sum('counted.cpu').as('cpu'),
      own
        .select('projects')
        .select((of) => of.fn.countAll().as('count'))
        .as('projects'),
      own
        .select('deployments')
        .where('deployments.status', '=', 'building')
        .select((of) => of.fn.countAll().as('count'))
        .as('builds'),
    ])
    .executeTakeFirstOrThrow();
  // PostgreSQL returns sums as text.
  return { projects: Number(projects), builds: Number(builds), memory: Number(memory), cpu: Number(cpu) };
}
