import { type Db, inTransaction, type Trx } from '../../../db/database.ts';
import { tooManyRequests } from '../../../http/rate-limit.ts';
import { addressGroup } from '../../../lib/addresses.ts';

const windowMs = 15 * 60_000;

// Against one client with typos, one address trying many accounts, and many addresses trying one account.
const limits = { pair: 10, address: 50, account: 100 };

type Counter = { key: string; most: number };

/** Counts failures in the database, across replicas and restarts. */
export class SignInAttempts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Counts the attempt as failed until it succeeds, so that concurrent attempts cannot exceed the limit. */
  async begin(email: string, ip: string): Promise<void> {
    const now = Date.now();
    await inTransaction(this.#db, async (trx) => {
      await trx.deleteFrom('sign_in_failures').where('until', '<=', now).execute();
      const isKnown = await isKnownAddress(trx, email, ip);
      for (const { key, most } of countersOf(email, ip)) {
        const { failures, until } = await addFailure(trx, key, now + windowMs);
        // Locking an account must not lock out its owner, who has signed in from this address before.
        const binds = !(isKnown && key.startsWith('account '));
        // Thrown inside the transaction, so that a rejected attempt is not counted.
        if (binds && failures > most) throw tooManyRequests((until - now) / 1000);
      }
    });
  }

  /** Removes the failures after a successful sign-in. */
  async succeeded(email: string, ip: string): Promise<void> {
    const [address, account, pair] = countersOf(email, ip).map(({ key }) => key);
    await inTransaction(this.#db, async (trx) => {
      await trx
        .updateTable('sign_in_failures')
        .set((eb) => ({ failures: eb('failures', '-', 1) }))
        .where('key', 'in', [address!, account!])
        .execute();
      await trx.deleteFrom('sign_in_failures').where('key', '=', pair!).execute();
    });
  }
}

/** Fixed order, so that concurrent attempts do not deadlock. */
function countersOf(email: string, ip: string): Counter[] {
  const address = addressGroup(ip);
  return [
    { key: `address ${address}`, most: limits.address },
    { key: `account ${email}`, most: limits.account },
    { key: `pair ${email} ${address}`, most: limits.pair },
  ];
}

const addFailure = (trx: Trx, key: string, until: number) =>
  trx
    .insertInto('sign_in_failures')
    .values({ key, failures: 1, until })
    .onConflict((row) => row.column('key').doUpdateSet((eb) => ({ failures: eb('sign_in_failures.failures', '+', 1) })))
    .returning(['failures', 'until'])
    .executeTakeFirstOrThrow();

async function isKnownAddress(trx: Trx, email: string, ip: string): Promise<boolean> {
  const session = trx
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.userId')
    .select('sessions.hash')
    .where('users.email', '=', email)
    .where('sessions.ip', '=', ip);
  return (await session.executeTakeFirst()) !== undefined;
}
