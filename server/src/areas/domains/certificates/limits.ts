import { type DatabaseKind, type Db, inTransaction, type Sql } from '../../../db/database.ts';
import { CertificateError } from '../../../drivers/certs/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { OrderReason } from './due.ts';
import { lockUntilCommit } from '../../../db/lock.ts';
import type { CertificateOwner } from './certificate-names-port.ts';
import {
  deleteAuthorityOrder,
  deleteAuthorityOrdersBefore,
  insertAuthorityOrder,
  type AuthorityOrder,
  selectAuthorityOrders,
} from './authority-order-store.ts';

// Authorities rate-limit the whole instance, so no organization may use up the shared quota. These limits are below
// those of Let's Encrypt (per week 5 for the same name and 50 per registered domain; 300 orders in 3 hours; 5
// failures of a name per hour). Renewals that are due are never limited.

const hourMs = 3_600_000;
const weekMs = 168 * hourMs;

type Limit = {
  of: 'name' | 'organization' | 'instance';
  reasons: OrderReason[];
  withinMs: number;
  most: number;
  /** Counts only orders that led to a certificate. */
  isIssued?: true;
  /** Only for names below the base domain, which is one registered domain. */
  isBelow?: true;
};

const fresh: OrderReason[] = ['first', 'asked'];

const limits: Limit[] = [
  { of: 'name', reasons: fresh, withinMs: hourMs, most: 5 },
  { of: 'name', reasons: fresh, withinMs: weekMs, most: 4, isIssued: true },
  { of: 'organization', reasons: ['asked'], withinMs: hourMs, most: 20 },
  { of: 'organization', reasons: ['asked'], withinMs: weekMs, most: 100 },
  { of: 'organization', reasons: fresh, withinMs: 3 * hourMs, most: 100 },
  { of: 'organization', reasons: ['first'], withinMs: weekMs, most: 40, isIssued: true, isBelow: true },
  { of: 'instance', reasons: fresh, withinMs: 3 * hourMs, most: 250 },
];

/** A request for a certificate, and its reason. */
export type CertificateWanted = { owner: CertificateOwner; reason: OrderReason };

/** Counts orders placed with the authority and enforces the limits. */
export class OrderLimits {
  readonly #db: Db;
  readonly #kind: DatabaseKind;
  readonly #baseDomain: string;

  constructor(deps: { db: Db; kind: DatabaseKind; baseDomain: string }) {
    this.#db = deps.db;
    this.#kind = deps.kind;
    this.#baseDomain = deps.baseDomain;
  }

  /** Returns the limit that an order would exceed now, without counting it. */
  async look(wish: CertificateWanted, now = Date.now()): Promise<CertificateError | undefined> {
    return this.#tooMuch(this.#db, wish, now);
  }

  /** Counts an order that is placed now and returns its id. */
  async take(wish: CertificateWanted, now = Date.now()): Promise<string> {
    const id = newId('aor');
    const { name, organizationId } = wish.owner;
    await inTransaction(this.#db, async (trx) => {
      await lockUntilCommit(trx, this.#kind, 'orders of the authority');
      const error = await this.#tooMuch(trx, wish, now);
      if (error) throw error;
      const flags = { isBelow: this.#isBelow(name) ? 1 : 0, isIssued: 0 };
      await insertAuthorityOrder(trx, {
        id,
        organizationId: organizationId ?? '',
        name,
        reason: wish.reason,
        ...flags,
        orderedAt: now,
      });
    });
    return id;
  }

  /** Uncounts an order that never reached the authority. */
  async giveBack(id: string): Promise<void> {
    await deleteAuthorityOrder(this.#db, id);
  }

  async tidy(now = Date.now()): Promise<void> {
    await deleteAuthorityOrdersBefore(this.#db, now - weekMs);
  }

  async #tooMuch(sql: Sql, wish: CertificateWanted, now: number): Promise<CertificateError | undefined> {
    const { owner, reason } = wish;
    const isBelow = this.#isBelow(owner.name);
    for (const limit of limits) {
      if (!limit.reasons.includes(reason) || (limit.isBelow && !isBelow)) continue;
      const newest = await selectAuthorityOrders(sql, whose(limit, owner), { ...limit, since: now - limit.withinMs });
      if (newest.length >= limit.most) return tooMuch(limit, owner.name, newest.at(-1)!.orderedAt + limit.withinMs);
    }
    return undefined;
  }

  #isBelow(name: string): boolean {
    return name.endsWith(`.${this.#baseDomain}`);
  }
}

function whose(
  { of }: Limit,
  { name, organizationId }: CertificateOwner,
): Partial<Pick<AuthorityOrder, 'name' | 'organizationId'>> {
  if (of === 'instance') return {};
  return of === 'name' ? { name } : { organizationId: organizationId ?? '' };
}

function tooMuch({ of, most, withinMs, isIssued }: Limit, name: string, freeAt: number): CertificateError {
  const who = { name, organization: 'your organization', instance: 'this instance' }[of];
  const what = isIssued ? 'got' : 'ordered';
  const hours = withinMs / hourMs;
  const when = hours === 168 ? 'a week' : hours === 1 ? 'an hour' : `${hours} hours`;
  const message =
    of === 'name' && !isIssued
      ? `${most} certificates were ordered for ${name} within ${when}`
      : `${who} ${what} ${most} certificates within ${when}`;
  const hint = `Certificate authorities limit how many they issue. The next one can be ordered at ${new Date(freeAt).toISOString()}.`;
  return new CertificateError('rate_limited', message, hint, { retryAt: freeAt });
}
