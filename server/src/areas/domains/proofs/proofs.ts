import { randomBytes } from 'node:crypto';
import type { Db } from '../../../db/database.ts';
import type { DomainProofTable } from '../../../db/tables.ts';
import { deleteProof, deleteProofsBefore, selectProof, upsertProof } from './store.ts';

const wellFormed = /^[A-Za-z0-9_-]{1,200}$/;
const ownForMs = 60_000;

/** What is answered under `/.well-known/acme-challenge/<token>`: to authorities, and to ourselves when we look whether a
 * name leads here. It is in the database, so that whichever replica is asked can answer; who has placed it can also while the
 * database is away. */
export class Proofs {
  readonly #db: Db;
  readonly #own = new Map<string, DomainProofTable>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** From now on, for as long as that, it is answered. */
  async place(proof: { name: string; token: string; answer: string }, forMs: number): Promise<void> {
    const { name, token, answer } = proof;
    const row = { token, host: name, answer, expires_at: Date.now() + forMs };
    this.#own.set(token, row);
    await upsertProof(this.#db, row);
  }

  /** One of our own, for as long as `work` takes. */
  async with<T>(name: string, work: (proof: { token: string; answer: string }) => Promise<T>): Promise<T> {
    const [token, answer] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
    await this.place({ name, token, answer }, ownForMs);
    try {
      return await work({ token, answer });
    } finally {
      this.#own.delete(token);
      await deleteProof(this.#db, token);
    }
  }

  /** What is answered to somebody who asks under this host for this token. */
  async answerFor(host: string, token: string): Promise<string | undefined> {
    if (!wellFormed.test(token)) return undefined;
    const proof = this.#own.get(token) ?? (await selectProof(this.#db, token));
    return proof?.host === host && proof.expires_at > Date.now() ? proof.answer : undefined;
  }

  async tidy(now = Date.now()): Promise<void> {
    for (const { token, expires_at } of this.#own.values()) if (expires_at < now) this.#own.delete(token);
    await deleteProofsBefore(this.#db, now);
  }
}
