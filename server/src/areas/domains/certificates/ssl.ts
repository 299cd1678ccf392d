import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../../../db/database.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import { readServed } from '../../../drivers/certs/served.ts';
import { AppError, badRequest, forbidden } from '../../../errors.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Reach } from '../../../lib/outbound.ts';
import { recordAudit } from '../../access/audit/service.ts';
import type { NameResolver } from '../pointing/resolver.ts';
import { actionFor } from './action.ts';
import type { Names, OwnedName } from './names-port.ts';
import { ensureOrder, type OrderRow, selectOrder } from './order-store.ts';
import type { Orders } from './orders.ts';
import { orderError, type Seen } from './schemas.ts';
import { type CertificateRow, selectCurrent } from './store.ts';

type On = {
  db: Db;
  names: Names;
  orders: Orders | undefined;
  resolver: NameResolver;
  reach: Reach;
  edge: Edge;
  /** How long an order may take. */
  withinMs: number;
};

const probeMs = 10_000;
const pollMs = 100;
/** Others may have begun it a moment before. */
const graceMs = 5000;

/** Looks at the certificate of a name, and has a new one issued. */
export class Ssl {
  readonly #on: On;

  constructor(on: On) {
    this.#on = on;
  }

  /** What we have and what visitors see. Changes nothing. */
  async status(caller: Caller, name: string): Promise<Seen> {
    const { db, names, orders } = this.#on;
    const isOurs = await names.visibleTo(caller, name, 'read');
    const owner = isOurs ? await names.ownerOf(name) : undefined;
    const [stored, order, served] = await Promise.all([
      owner && selectCurrent(db, owner.organizationId, name),
      owner && selectOrder(db, name),
      this.#probe(name, isOurs),
    ]);
    const isWanted = owner?.isWanted ?? false;
    const isOrdered = isWanted && orders !== undefined;
    const action = actionFor({ name, isOurs, isWanted, isOrdered, stored, served, order });
    return { domain: name, isOurs, stored, served, order, action };
  }

  /** Has a new one issued, or waits for the order that is under way. */
  async renew(caller: Caller, name: string): Promise<CertificateRow> {
    const { db, orders } = this.#on;
    const owner = await this.#requireOwned(caller, name);
    if (!orders || !owner.isWanted) throw notIssued(name, orders !== undefined);
    const stored = await selectCurrent(db, owner.organizationId, name);
    if (stored?.source === 'uploaded')
      throw refused(`the certificate of ${name} was uploaded`, 'Upload a new one, or delete it.');
    const seen = await ensureOrder(db, owner);
    requireAllowed(seen);
    const note = { action: 'domain.certificate_ordered' as const, target: { id: owner.projectId, name } };
    await recordAudit(db, owner.organizationId, caller, note);
    const ended = await this.#follow(orders, seen);
    const error = orderError(ended);
    if (ended.status === 'failed' && error) throw refused(error.message, error.hint);
    const issued = await selectCurrent(db, owner.organizationId, name);
    if (!issued) throw refused(`${name} has no certificate`, 'Ask again in a moment.');
    return issued;
  }

  /** Whoever comes while an order is under way gets what comes of that one. */
  async #follow(orders: Orders, seen: OrderRow): Promise<OrderRow> {
    const end = Date.now() + this.#on.withinMs + graceMs;
    // The one that is under way now, or the next one, whoever begins it.
    const fence = seen.status === 'running' ? seen.fence : seen.fence + 1;
    if (seen.status !== 'running') await orders.beginNow(seen.name, seen.fence);
    for (;;) {
      await orders.takeOver(seen.name);
      await orders.ended(seen.name);
      const now = await orders.find(seen.name);
      if (!now) throw badRequest(`${seen.name} is not a domain of yours`, 'domain');
      if (now.fence >= fence && (now.status === 'done' || now.status === 'failed')) return now;
      if (Date.now() > end)
        throw refused(
          `the order for ${seen.name} takes longer than expected`,
          'It goes on; ask for its status in a while.',
        );
      await sleep(pollMs);
    }
  }

  async #requireOwned(caller: Caller, name: string): Promise<OwnedName & { isWanted: boolean }> {
    const { names } = this.#on;
    const isSeen = await names.visibleTo(caller, name, 'read');
    const owner = isSeen ? await names.ownerOf(name) : undefined;
    if (!owner) throw badRequest(`${name} is not a domain of yours`, 'domain');
    if (!(await names.visibleTo(caller, name, 'write'))) throw forbidden('you were not granted write on this project');
    return owner;
  }

  #probe(name: string, isOurs: boolean) {
    const { edge, reach, resolver } = this.#on;
    const port = isOurs ? Number(new URL(edge.url(name, { secure: true })).port || 443) : 443;
    return readServed({ name, port, reach, deadlineMs: probeMs, resolve: (each) => resolver.resolve(each) });
  }
}

const refused = (sentence: string, hint: string): AppError =>
  new AppError('certificate_failed', sentence, { message: hint });

const notIssued = (name: string, hasAuthority: boolean): AppError =>
  hasAuthority
    ? refused(
        `no authority issues certificates for ${name}`,
        'Use a name that can be reached from outside, or upload one.',
      )
    : new AppError('not_configured', 'no certificate authority is set', {
        message: 'Set MOORING_ACME_DIRECTORY, or upload a certificate.',
      });

/** Asking again before the authority allows it only makes it worse. */
function requireAllowed(order: OrderRow): void {
  const error = orderError(order);
  if (order.status !== 'failed' || error?.code !== 'rate_limited' || order.next_at <= Date.now()) return;
  throw refused(error.message, `It is tried again by itself at ${new Date(order.next_at).toISOString()}.`);
}
