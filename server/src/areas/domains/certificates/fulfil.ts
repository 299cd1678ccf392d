import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import type { CertificateAuthority, Issued } from '../../../drivers/certs/authority.ts';
import { factsOf, readCertificates } from '../../../drivers/certs/certificate.ts';
import { CertificateError, isCertificateError } from '../../../drivers/certs/errors.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Proofs } from '../proofs/proofs.ts';
import { AuthorityAccounts } from './accounts.ts';
import { pauseAfter } from './due.ts';
import { LostOrderError } from './lease.ts';
import type { Names, OwnedName } from './names-port.ts';
import { deleteOrder, endOrder, type OrderRow } from './order-store.ts';
import { insertCurrent, selectCurrent } from './store.ts';
import { certificateRow } from './vault.ts';

export type FulfilOptions = {
  db: Db;
  kind: DatabaseKind;
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

/** Works on one order that it was given: looks, has the certificate issued, keeps it. */
export class OrderWork {
  readonly #on: FulfilOptions;
  readonly #accounts: AuthorityAccounts;

  constructor(on: FulfilOptions) {
    this.#on = on;
    this.#accounts = new AuthorityAccounts(on.db, on.sealer);
  }

  /** From the order to a certificate that the edge serves. */
  async fulfil(order: OrderRow, signal: AbortSignal): Promise<void> {
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

  /** Writes down why there is none, and when it is tried again. */
  async fail(order: OrderRow, error: unknown): Promise<void> {
    const { db, kind, log } = this.#on;
    const known = isCertificateError(error) ? error : unknown;
    if (known === unknown) log.error({ err: error }, `the order of a certificate for ${order.name} failed`);
    else log.warn(`no certificate for ${order.name}: ${known.message}`);
    const attempts = order.attempts + 1;
    const pauseMs = Math.max(pauseAfter(attempts, known.code), (known.retryAt ?? 0) - Date.now());
    const told = JSON.stringify({ code: known.code, message: known.message, hint: known.hint });
    await endOrder(db, kind, order, { status: 'failed', attempts, error: told, pauseMs });
  }
}

const unknown = new CertificateError(
  'internal',
  'something failed on our side',
  'The log of the service has it. It is tried again by itself.',
);
