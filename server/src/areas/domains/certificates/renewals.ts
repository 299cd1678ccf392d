import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import { AppError, badRequest, forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import { recordAudit } from '../../access/port.ts';
import { mustWaitToRetry, orderReasonFor } from './due.ts';
import type { OrderLimits } from './limits.ts';
import type { CertificateNamesPort, CertificateNameState } from './certificate-names-port.ts';
import type { CertificatesOnEdges } from './on-edges.ts';
import { ensureOrder, type OrderRow } from './order-store.ts';
import type { Orders } from './orders.ts';
import { retryWhileDatabaseAway } from './database-retry.ts';
import { orderError } from './schemas.ts';
import { type CertificateRow, selectCurrentCertificate, selectWantedCertificate } from './store.ts';

type Deps = {
  db: Db;
  names: CertificateNamesPort;
  orders: Orders | undefined;
  limits: OrderLimits;
  edgeCertificates: CertificatesOnEdges;
  /** Timeout of an order. */
  withinMs: number;
};

const pollMs = 100;
/** Another replica may have started the order slightly earlier. */
const graceMs = 5000;

/** Renews certificates at a user's request. */
export class Renewals {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Orders a new certificate, or joins the running order. */
  async renew(caller: Caller, name: string): Promise<CertificateRow> {
    const { db, orders } = this.#deps;
    const owner = await this.#requireOwned(caller, name);
    if (!orders || !owner.isWanted) throw notIssued(owner, orders !== undefined);
    const seen = await this.#requireAllowed(owner);
    const target = { id: owner.projectId ?? 'instance', name };
    await recordAudit(db, caller.organization.id, caller, { action: 'domain.certificate_ordered', target });
    const ended = await this.#follow(orders, seen);
    const error = orderError(ended);
    if (ended.status === 'failed' && error) throw refused(error.message, error.hint);
    return this.#requireServed(owner);
  }

  /**
   * Rejects uploaded certificates, which are the user's to renew, and requests over the limits. Joining a running
   * order is free.
   */
  async #requireAllowed(owner: CertificateNameState): Promise<OrderRow> {
    const { db, limits } = this.#deps;
    const kept = await selectWantedCertificate(db, owner.organizationId, owner.name);
    if (kept?.source === 'uploaded')
      throw refused(`the certificate of ${owner.name} was uploaded`, 'Upload a new certificate, or delete this one.');
    const seen = await ensureOrder(db, owner);
    if (seen.status === 'running') return seen;
    requireNoPause(seen);
    const tooMuch = await limits.look({ owner, reason: orderReasonFor(kept, owner.projectId) });
    if (tooMuch) throw refused(tooMuch.message, tooMuch.hint);
    return seen;
  }

  /** Returns the certificate once the edge serves it. */
  async #requireServed({ organizationId, name }: CertificateNameState): Promise<CertificateRow> {
    const problem = await this.#deps.edgeCertificates.problemOf(name);
    if (problem !== undefined)
      throw refused(
        `the new certificate of ${name} has been issued, but the edge does not have it yet: ${problem}`,
        'Mooring retries automatically. The previous certificate serves until then.',
      );
    const issued = await selectCurrentCertificate(this.#deps.db, organizationId, name);
    if (!issued) throw refused(`${name} has no certificate`, 'Try again in a moment.');
    return issued;
  }

  async #follow(orders: Orders, seen: OrderRow): Promise<OrderRow> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLate(seen.name)), this.#deps.withinMs + graceMs);
    try {
      return await outcome(orders, seen, late.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async #requireOwned(caller: Caller, name: string): Promise<CertificateNameState> {
    const { names } = this.#deps;
    const isSeen = await names.visibleTo(caller, name, 'read');
    const owner = isSeen ? await names.ownerOf(name) : undefined;
    if (!owner) throw badRequest(`${name} is not a domain of your projects`, 'domain');
    if (!(await names.visibleTo(caller, name, 'write'))) throw forbidden('you were not granted write on this project');
    return owner;
  }
}

/** Waits for the outcome of the running order, or of a new one. */
async function outcome(orders: Orders, { name, status, fence: seen }: OrderRow, late: AbortSignal): Promise<OrderRow> {
  // Fence of the running order, or of the next one, no matter which replica starts it.
  const fence = status === 'running' ? seen : seen + 1;
  if (status !== 'running') await orders.beginNow(name, seen);
  const over = new Promise<void>((resolve) => late.addEventListener('abort', () => resolve(), { once: true }));
  for (;;) {
    await retryWhileDatabaseAway(() => orders.takeOver(name), late);
    await Promise.race([orders.ended(name), over]);
    const now = await retryWhileDatabaseAway(() => orders.find(name), late);
    if (!now) throw badRequest(`${name} was removed, or nothing is deployed under it any more`, 'domain');
    if (now.fence >= fence && (now.status === 'done' || now.status === 'failed')) return now;
    late.throwIfAborted();
    await sleep(pollMs);
  }
}

const tooLate = (name: string): AppError =>
  refused(`the order for ${name} takes longer than expected`, 'It continues; check its status later.');

const refused = (sentence: string, hint: string): AppError =>
  new AppError('certificate_failed', sentence, { message: hint });

function notIssued({ name, isAnswering }: CertificateNameState, hasAuthority: boolean): AppError {
  if (!hasAuthority)
    return new AppError('not_configured', 'no certificate authority is configured', {
      message: 'Set MOORING_ACME_DIRECTORY, or upload a certificate.',
    });
  if (!isAnswering)
    return refused(
      `nothing is deployed under ${name}`,
      'Deploy to it; Mooring then orders a certificate automatically.',
    );
  return refused(
    `no certificate authority issues certificates for ${name}`,
    'Use a public domain, or upload a certificate.',
  );
}

/** Rejects retries during the pause after a failure. */
function requireNoPause(order: OrderRow): void {
  const error = orderError(order);
  if (order.status !== 'failed' || !error || order.nextAt <= Date.now()) return;
  if (mustWaitToRetry(order.attempts, error.code))
    throw refused(error.message, `Mooring retries at ${new Date(order.nextAt).toISOString()}.`);
}
