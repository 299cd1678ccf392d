import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import type { ProcessIsolation } from '../../../drivers/host/isolation.ts';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import { StepError } from '../model/model.ts';

export type UidRange = { first: number; last: number };

type Deps = { db: Db; instanceId: string; isolation: Promise<ProcessIsolation>; range: UidRange | undefined };

// systemd's documentation of user ids leaves this range unused: not for people, services, containers or images.
const unused: UidRange = { first: 0x7000_0000, last: 0x7ffd_ffff };
const blockSize = 65_536;
/** For a user namespace with few ids; older versions used this range, too. */
const few: UidRange = { first: 61_000, last: 64_999 };

/** Returns the uid of a project: assigned once, never shared and never reused. It has no account. */
export function projectUsers({
  db,
  instanceId,
  isolation: detected,
  range,
}: Deps): (projectId: string) => Promise<AppUser | null> {
  return async (projectId) => {
    const isolation = await detected;
    if (isolation.kind === 'refused') throw isolationRefused(isolation.reason);
    if (isolation.kind !== 'users') return null;
    const uid = (await uidOfProject(db, projectId)) ?? (await give());
    return { uid, gid: uid };

    async function give(): Promise<number> {
      return inTransaction(db, async (trx) => {
        await lockInstance(trx);
        const known = await uidOfProject(trx, projectId);
        if (known !== undefined) return known;
        const next = await nextIn(trx, range ?? (await ownBlock(trx, instanceId)));
        await trx.insertInto('project_users').values({ uid: next, projectId }).execute();
        return next;
      });
    }
  };
}

/** Returns the uid that the project already has, if any. */
export async function uidOfProject(sql: Db | Trx, projectId: string): Promise<number | undefined> {
  const row = await sql.selectFrom('project_users').select('uid').where('projectId', '=', projectId).executeTakeFirst();
  return row?.uid;
}

const lockInstance = (trx: Trx) =>
  trx
    .updateTable('instance')
    .set((eb) => ({ ownerUserId: eb.ref('ownerUserId') }))
    .execute();

async function nextIn(trx: Trx, { first, last }: UidRange): Promise<number> {
  const { highest } = await trx
    .selectFrom('project_users')
    .select((eb) => eb.fn.max('uid').as('highest'))
    .where('uid', '>=', first)
    .where('uid', '<=', last)
    .executeTakeFirstOrThrow();
  const next = highest === null ? first : highest + 1;
  if (next <= last) return next;
  throw new StepError(
    'no_user_left',
    `All user ids for projects (${first} to ${last}) are in use`,
    'Ask the operator to set MOORING_PROJECT_UIDS to another range.',
  );
}

/**
 * Chooses a block of uids with the first app, so that two instances on one machine rarely choose the same; running
 * processes reveal a block in use.
 */
async function ownBlock(trx: Trx, instanceId: string): Promise<UidRange> {
  const { firstProjectUid: chosen } = await trx
    .selectFrom('instance')
    .select('firstProjectUid')
    .executeTakeFirstOrThrow();
  const first = chosen === null ? freeBlock(instanceId) : chosen;
  if (chosen === null) await trx.updateTable('instance').set({ firstProjectUid: first }).execute();
  return first === few.first ? few : { first, last: first + blockSize - 1 };
}

function freeBlock(instanceId: string): number {
  if (!isMapped(unused.last)) return few.first;
  const blocks = Math.floor((unused.last - unused.first + 1) / blockSize);
  const start = createHash('sha256').update(instanceId).digest().readUInt32BE() % blocks;
  const taken = new Set(runningUids().map((uid) => Math.floor((uid - unused.first) / blockSize)));
  for (let i = 0; i < blocks; i++) {
    const block = (start + i) % blocks;
    if (!taken.has(block)) return unused.first + block * blockSize;
  }
  return unused.first + start * blockSize;
}

/** Whether this uid exists on this machine or in our user namespace. */
const isMapped = (uid: number): boolean =>
  readFileSync('/proc/self/uid_map', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number])
    .some(([first, , count]) => uid >= first && uid < first + count);

function runningUids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statSync(`/proc/${name}`, { throwIfNoEntry: false })?.uid ?? []);
}

/** Explains why nothing of a project runs. */
export const isolationRefused = (reason: string): StepError =>
  new StepError(
    'isolation_unavailable',
    `Mooring runs as root and does not run apps as root, but ${reason}`,
    'Move the data folder to /var/lib/mooring, or run Mooring as an ordinary user. See "Users and isolation" in docs/operations/security.md.',
  );
