import { type Db, inTransaction } from '../../../db/database.ts';
import { tooMany } from '../../../http/limits.ts';

const windowMs = 15 * 60_000;

// One person mistyping, one address trying many people, many addresses trying one person.
const limits = { pair: 10, address: 50, account: 100 };

/** Counts failures only, in the database, so that replicas count together and a restart forgets nothing. */
export class SignInAttempts {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  async refuseIfTooMany(email: string, ip: string): Promise<void> {
    const rows = await this.#db
      .selectFrom('sign_in_failures')
      .selectAll()
      .where(
        'key',
        'in',
        keysOf(email, ip).map(({ key }) => key),
      )
      .where('until', '>', Date.now())
      .execute();
    for (const { key, most } of keysOf(email, ip)) {
      const row = rows.find((each) => each.key === key);
      if (row && row.failures >= most) throw tooMany((row.until - Date.now()) / 1000);
    }
  }

  async failed(email: string, ip: string): Promise<void> {
    const now = Date.now();
    await inTransaction(this.#db, async (trx) => {
      await trx.deleteFrom('sign_in_failures').where('until', '<=', now).execute();
      for (const { key } of keysOf(email, ip)) {
        await trx
          .insertInto('sign_in_failures')
          .values({ key, failures: 1, until: now + windowMs })
          .onConflict((row) =>
            row.column('key').doUpdateSet((eb) => ({ failures: eb('sign_in_failures.failures', '+', 1) })),
          )
          .execute();
      }
    });
  }

  /** Who gets in has proven not to be guessing. */
  async succeeded(email: string, ip: string): Promise<void> {
    await this.#db.deleteFrom('sign_in_failures').where('key', '=', `pair ${email} ${ip}`).execute();
  }
}

const keysOf = (email: string, ip: string) => [
  { key: `pair ${email} ${ip}`, most: limits.pair },
  { key: `address ${ip}`, most: limits.address },
  { key: `account ${email}`, most: limits.account },
];
