import { randomBytes } from 'node:crypto';
import { type Db, isUnavailable } from '../../../db/database.ts';
import type { DomainProofTable } from '../../../db/tables.ts';
import type { Log } from '../../../lib/log.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import { deleteProof, deleteProofsBefore, selectProof, upsertProof } from './store.ts';

const wellFormed = /^[A-Za-z0-9_-]{1,200}$/;
const ownForMs = 60_000;

/** The edge of a server could not be given the challenge. */
export class ChallengeNotDeliveredError extends Error {
  override name = 'ChallengeNotDeliveredError';
  readonly hint: string;

  constructor({ machine }: EdgeLocation, cause: Error) {
    super(`${machine} cannot be given the ACME challenge: ${cause.message}`, { cause });
    this.hint = `Mooring has to reach ${machine} over SSH. Mooring retries automatically.`;
  }
}

type Proof = { name: string; token: string; answer: string };

/**
 * Answers of `/.well-known/acme-challenge/<token>`, for authorities and our own DNS check. They are in the database,
 * so that every replica can answer; the replica that placed one can also answer while the database is unavailable.
 * Edges of servers cannot query Mooring, so they are given the answer.
 */
export class Proofs {
  readonly #db: Db;
  readonly #log: Log;
  readonly #own = new Map<string, DomainProofTable>();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Answers the challenge for `forMs`. */
  async place({ name, token, answer }: Proof, forMs: number, at: EdgeLocation): Promise<void> {
    if (at.serverId !== null) return tell(at, token, answer);
    const row = { token, host: name, answer, expiresAt: Date.now() + forMs };
    this.#own.set(token, row);
    await upsertProof(this.#db, row);
    // Edges of other nodes cannot query us either.
    if ((await at.edge()).kind === 'several') await tell(at, token, answer);
  }

  /** Does not wait for servers: they expire it after a while. */
  async takeBack(token: string, at: EdgeLocation): Promise<void> {
    if (at.serverId !== null)
      return void tell(at, token, null).catch((error: Error) =>
        this.#log.debug(`removing an ACME challenge: ${error.message}`),
      );
    this.#own.delete(token);
    await deleteProof(this.#db, token);
  }

  /** Places a challenge of our own while `work` runs. */
  async with<T>(name: string, at: EdgeLocation, work: (proof: Omit<Proof, 'name'>) => Promise<T>): Promise<T> {
    const [token, answer] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
    await this.place({ name, token, answer }, ownForMs, at);
    try {
      return await work({ token, answer });
    } finally {
      await this.takeBack(token, at);
    }
  }

  /** Returns the answer for a host and token. */
  async answerFor(host: string, token: string): Promise<string | undefined> {
    if (!wellFormed.test(token)) return undefined;
    const proof = this.#own.get(token) ?? (await selectProof(this.#db, token));
    return proof?.host === host && proof.expiresAt > Date.now() ? proof.answer : undefined;
  }

  async tidy(now = Date.now()): Promise<void> {
    for (const { token, expiresAt } of this.#own.values()) if (expiresAt < now) this.#own.delete(token);
    await deleteProofsBefore(this.#db, now);
  }
}

async function tell(at: EdgeLocation, token: string, answer: string | null): Promise<void> {
  try {
    await (await at.edge()).answerChallenge(token, answer);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    throw new ChallengeNotDeliveredError(at, error as Error);
  }
}
