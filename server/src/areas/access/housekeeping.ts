import type { Db } from '../../db/database.ts';
import { deleteAuditEntriesBefore } from './audit/store.ts';

const everyMs = 3_600_000;

/** Deletes expired sessions, links, codes and old audit entries. Idempotent, so every replica may run it. */
export class Housekeeping {
  readonly #db: Db;
  readonly #auditDays: number;
  readonly #timer: NodeJS.Timeout;

  constructor(db: Db, auditDays: number, warn: (message: string) => void) {
    this.#db = db;
    this.#auditDays = auditDays;
    this.#timer = setInterval(() => {
      this.run().catch((error: Error) => warn(`cleanup failed: ${error.message}`));
    }, everyMs).unref();
  }

  async run(now = Date.now()): Promise<void> {
    for (const table of ['sessions', 'setup_codes', 'invitations', 'password_resets'] as const)
      await this.#db.deleteFrom(table).where('expiresAt', '<=', now).execute();
    await this.#db.deleteFrom('sign_in_failures').where('until', '<=', now).execute();
    await deleteAuditEntriesBefore(this.#db, now - this.#auditDays * 86_400_000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
