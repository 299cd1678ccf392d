import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import type { CertificateAuthority, Issued } from '../../../drivers/certs/authority.ts';
import { factsOf, readCertificates } from '../../../drivers/certs/certificate.ts';
import { CertificateError, isCertificateError } from '../../../drivers/certs/errors.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Proofs } from '../proofs/proofs.ts';
import { AuthorityAccounts } from './accounts.ts';
import { pauseAfter } from './due.ts';
import { LostOrderError, OrderLease } from './lease.ts';
import type { Names, OwnedName } from './names-port.ts';
import { claimOrder, deleteOrder, endOrder, type OrderRow, selectNextOrder, selectOrder } from './order-store.ts';
import { insertCurrent, selectCurrent } from './store.ts';
import { certificateRow } from './vault.ts';

type On = {
  db: Db;
  kind: DatabaseKind;
  /** Names this replica, also after a restart. */
  owner: string;
  sealer: Sealer;
  log: Log;
  names: Names;
  proofs: Proofs;
  authority: CertificateAuthority;
  withinMs: number;
  /** The edge gets it before anybody is told that it is there. */
  onIssued: (name: string) => Promise<void>;
};

const proofForMs = 600_000;
const patienceMs = 1500;

/** Orders certificates, one order for each name at a time, whichever replica works on it. */
export class Orders {
  readonly #on: On;
  readonly #accounts: AuthorityAccounts;
  readonly #running = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(on: On) {
    this.#on = on;
    this.#accounts = new AuthorityAccounts(on.db, on.sealer);
  }

  /** How many this replica works on. */
  get count(): number {
    return this.#running.size;
  }

  /** Begins the next one that is due, if there is one. */
  async beginNext(): Promise<boolean> {
    const { db, kind, owner } = this.#on;
    const name = await selectNextOrder(db, kind, owner, [...this.#running.keys()]);
    if (name === undefined || this.#stopping.signal.aborted) return false;
    return (await this.#begin(name, 'due')) || !this.#running.has(name);
  }

  /** Begins this one, due or not, unless somebody has begun it since it had that fence. */
  beginNow(name: string, seenFence: number): Promise<boolean> {
    return this.#begin(name, { fence: seenFence });
  }

  /** Goes on with one whose worker has died. */
  takeOver(name: string): Promise<boolean> {
    return this.#begin(name, 'none');
  }

  /** Resolves when this replica works on it no more; at once when it does not. */
  async ended(name: string): Promise<void> {
    await this.#running.get(name);
  }

  /** Resolves when this replica is done with one of those that it works on. */
  async anyEnded(): Promise<void> {
    await Promise.race(this.#running.values());
  }

  /** What is under way is left for the next start, which goes on with it at once. */
  async stop(): Promise<void> {
    this.#stopping.abort(new LostOrderError('the service is stopping'));
    await Promise.race([Promise.allSettled(this.#running.values()), sleep(patienceMs, undefined, { ref: false })]);
  }

  async #begin(name: string, also: 'due' | 'none' | { fence: number }): Promise<boolean> {
    const { db, kind, owner } = this.#on;
    const order = await claimOrder(db, kind, { name, owner, held: [...this.#running.keys()], also });
    if (!order) return false;
    const work = this.#work(order).finally(() => this.#running.delete(name));
    this.#running.set(name, work);
    return true;
  }

  async #work(order: OrderRow): Promise<void> {
    const { db, kind, log } = this.#on;
    const warn = (text: string) => log.warn(text);
    const lease = new OrderLease({ db, kind, order, stopping: this.#stopping.signal, warn });
    try {
      await this.#fulfil(order, lease.signal);
    } catch (error) {
      if (error instanceof LostOrderError) return;
      await this.#failed(order, error).catch((second: Error) => warn(`the order of ${order.name}: ${second.message}`));
    } finally {
      lease.end();
    }
  }

  async #fulfil(order: OrderRow, signal: AbortSignal): Promise<void> {
    const { db, names, log } = this.#on;
    const { name } = order;
    const owner = await names.ownerOf(name);
    if (!owner) {
      await deleteOrder(db, name);
      return;
    }
    const leads = await names.leadsHere(name, signal);
    if (!leads.ok) throw new CertificateError('not_pointing', leads.message, leads.fix);
    const issued = await this.#issue(name, signal);
    signal.throwIfAborted();
    await this.#keep(order, owner, issued);
    log.info(`${name} has a new certificate`);
    // The edge asks for it again by itself if it cannot take it now.
    await this.#on.onIssued(name).catch((error: Error) => log.warn(`the certificate of ${name}: ${error.message}`));
  }

  async #issue(name: string, signal: AbortSignal): Promise<Issued> {
    const { authority, proofs, withinMs } = this.#on;
    const { directory } = authority;
    return authority.issue({
      name,
      account: await this.#accounts.get(directory),
      onAccount: (url) => this.#accounts.note(directory, url),
      prove: (proof) => proofs.place(proof, proofForMs),
      signal,
      withinMs,
    });
  }

  /** The certificate and the end of the order are one: a crash in between would order it again. */
  async #keep(order: OrderRow, owner: OwnedName, { chain, privateKey }: Issued): Promise<void> {
    const { db, kind, sealer } = this.#on;
    const read = readCertificates(chain);
    if (!read.ok) throw new Error(read.problem);
    const row = certificateRow(sealer, { owner, source: 'acme', chain, privateKey }, factsOf(read.certificates[0]));
    await inTransaction(db, async (trx) => {
      const end = { status: 'done' as const, attempts: 0, error: null, pauseMs: 0 };
      if (!(await endOrder(trx, kind, order, end)))
        throw new LostOrderError(`the order of ${order.name} was taken over`);
      const current = await selectCurrent(trx, owner.organizationId, owner.name);
      // What somebody has uploaded meanwhile is what they want.
      const isWanted = current?.source !== 'uploaded' || current.not_after < Date.now();
      await insertCurrent(trx, { ...row, is_current: isWanted ? 1 : 0 });
    });
  }

  async #failed(order: OrderRow, error: unknown): Promise<void> {
    const { db, kind, log } = this.#on;
    const known = isCertificateError(error) ? error : unknown;
    if (known === unknown) log.error({ err: error }, `the order of a certificate for ${order.name} failed`);
    else log.warn(`no certificate for ${order.name}: ${known.message}`);
    const attempts = order.attempts + 1;
    const pauseMs = Math.max(pauseAfter(attempts, known.code), (known.retryAt ?? 0) - Date.now());
    const told = JSON.stringify({ code: known.code, message: known.message, hint: known.hint });
    await endOrder(db, kind, order, { status: 'failed', attempts, error: told, pauseMs });
  }

  /** The order as everybody sees it. */
  find(name: string): Promise<OrderRow | undefined> {
    return selectOrder(this.#on.db, name);
  }
}

const unknown = new CertificateError(
  'internal',
  'something failed on our side',
  'The log of the service has it. It is tried again by itself.',
);
