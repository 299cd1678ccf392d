import { type DatabaseKind, type Db, inTransaction } from '../../../db/database.ts';
import type { AuthorityAccount, CertificateAuthority, IssuedCertificate } from '../../../drivers/certs/authority.ts';
import { factsOf, readCertificates } from '../../../drivers/certs/certificate.ts';
import { CertificateError, isCertificateError } from '../../../drivers/certs/errors.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { EdgeLocation } from '../edges/edge-location.ts';
import type { EdgeLocations } from '../edges/edge-locations.ts';
import { ChallengeNotDeliveredError, type Proofs } from '../proofs/proofs.ts';
import type { AuthorityAccounts } from './accounts.ts';
import { retryPauseMs, orderReasonFor } from './due.ts';
import { LostOrderError } from './lease.ts';
import type { OrderLimits } from './limits.ts';
import { lockCertificates } from './lock.ts';
import type { CertificateNamesPort, CertificateOwner } from './certificate-names-port.ts';
import { dropOrder, endOrder, type OrderRow } from './order-store.ts';
import { retryWhileDatabaseAway } from './database-retry.ts';
import { markOrderIssued } from './authority-order-store.ts';
import { orderError } from './schemas.ts';
import { insertNextCertificate, insertSpare, selectWantedCertificate } from './store.ts';
import { certificateRow } from './vault.ts';

export type FulfilOptions = {
  db: Db;
  kind: DatabaseKind;
  sealer: Sealer;
  log: Log;
  names: CertificateNamesPort;
  places: EdgeLocations;
  proofs: Proofs;
  authority: CertificateAuthority;
  accounts: AuthorityAccounts;
  limits: OrderLimits;
  withinMs: number;
  /** Runs before anything reports the certificate as available, so that the edge has it by then. */
  onIssued: (name: string) => Promise<void>;
};

/** Owner, edge that answers the challenge, ACME account, and the id of the counted order. */
type Ready = { owner: CertificateOwner; place: EdgeLocation; account: AuthorityAccount; placed: string };

const proofForMs = 600_000;

/** Fulfils one claimed order: checks DNS, has the certificate issued, stores it. */
export class OrderFulfilment {
  readonly #options: FulfilOptions;

  constructor(options: FulfilOptions) {
    this.#options = options;
  }

  async fulfil(order: OrderRow, signal: AbortSignal): Promise<void> {
    const { log, onIssued } = this.#options;
    const { name } = order;
    const ready = await retryWhileDatabaseAway(() => this.#prepare(order, signal), signal);
    if (!ready) return;
    const issued = await this.#issue(name, ready, signal);
    signal.throwIfAborted();
    await retryWhileDatabaseAway(() => this.#keep(order, ready, issued), signal);
    log.info(`${name} has a new certificate`);
    // The certificate is stored; the certificate worker retries an edge that cannot load it now.
    await onIssued(name).catch((error: Error) => log.warn(`the certificate of ${name}: ${error.message}`));
  }

  /** Does everything that precedes the request to the authority; undefined if there is nothing to order. */
  async #prepare(order: OrderRow, signal: AbortSignal): Promise<Ready | undefined> {
    const { db, names, places, accounts, limits, authority } = this.#options;
    const owner = await names.ownerOf(order.name);
    // The name has no owner or serves nothing. A later round orders again once it does.
    if (!owner?.isAnswering) {
      await dropOrder(db, order);
      return undefined;
    }
    const leads = await names.leadsHere(owner, signal);
    if (!leads.ok) throw new CertificateError('not_pointing', leads.message, leads.fix);
    const account = await accounts.get(authority.directory);
    const kept = await selectWantedCertificate(db, owner.organizationId, owner.name);
    const placed = await limits.take({ owner, reason: orderReasonFor(kept, owner.projectId) });
    return { owner, place: await places.ofProject(owner.projectId), account, placed };
  }

  async #issue(name: string, { account, placed, place }: Ready, signal: AbortSignal): Promise<IssuedCertificate> {
    const { authority, accounts, proofs, limits, withinMs, log } = this.#options;
    const told: string[] = [];
    const prove = async (proof: { name: string; token: string; answer: string }) => {
      told.push(proof.token);
      await proofs.place(proof, proofForMs, place);
    };
    try {
      return await authority.issue({
        name,
        account,
        onAccount: (url) => retryWhileDatabaseAway(() => accounts.note(authority, url), signal),
        prove: (proof) => retryWhileDatabaseAway(() => prove(proof), signal),
        signal,
        withinMs,
      });
    } catch (error) {
      if (isCertificateError(error, 'unreachable'))
        await limits.giveBack(placed).catch((second: Error) => log.warn(`the orders of ${name}: ${second.message}`));
      if (error instanceof ChallengeNotDeliveredError)
        throw new CertificateError('not_pointing', error.message, error.hint);
      throw error;
    } finally {
      // Challenges in the database expire on their own; those on servers have to be removed.
      if (place.serverId !== null) await Promise.all(told.map((token) => proofs.takeBack(token, place)));
    }
  }

  /** Stores the certificate and ends the order in one transaction: a crash in between would order it again. */
  async #keep(order: OrderRow, { owner, placed }: Ready, { chain, privateKey }: IssuedCertificate): Promise<void> {
    const { db, kind, sealer } = this.#options;
    const read = readCertificates(chain);
    if (!read.ok) throw new Error(read.problem);
    const row = certificateRow(sealer, { owner, source: 'acme', chain, privateKey }, factsOf(read.certificates[0]));
    await inTransaction(db, async (trx) => {
      await lockCertificates(trx, kind, owner.name);
      const end = { status: 'done' as const, attempts: 0, error: null, pauseMs: 0 };
      if (!(await endOrder(trx, kind, order, end)))
        throw new LostOrderError(`the order of ${order.name} was taken over`);
      await markOrderIssued(trx, placed);
      const kept = await selectWantedCertificate(trx, owner.organizationId, owner.name);
      // A certificate that the user uploaded meanwhile takes precedence.
      const isWanted = kept?.source !== 'uploaded' || kept.notAfter < Date.now();
      await (isWanted ? insertNextCertificate(trx, row) : insertSpare(trx, row));
    });
  }

  /** Stores the error and the time of the next attempt. */
  async fail(order: OrderRow, error: unknown, signal: AbortSignal): Promise<void> {
    const { db, kind, log } = this.#options;
    const known = isCertificateError(error) ? error : unknown;
    if (known === unknown) log.error({ err: error }, `the order of a certificate for ${order.name} failed`);
    else log.warn(`no certificate for ${order.name}: ${known.message}`);
    const attempts = attemptsAfter(order, known.code);
    const pauseMs = Math.max(retryPauseMs(attempts, known.code), (known.retryAt ?? 0) - Date.now());
    const told = JSON.stringify({ code: known.code, message: known.message, hint: known.hint });
    const end = { status: 'failed' as const, attempts, error: told, pauseMs };
    await retryWhileDatabaseAway(() => endOrder(db, kind, order, end), signal);
  }
}

const unknown = new CertificateError(
  'internal',
  'an internal error occurred',
  'See the log of Mooring. It retries automatically.',
);

/**
 * Counts failures in a row. `not_pointing` failures say nothing about the authority, so the count restarts after
 * them.
 */
const attemptsAfter = (order: OrderRow, code: string): number =>
  orderError(order)?.code === 'not_pointing' && code !== 'not_pointing' ? 1 : order.attempts + 1;
