import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import type { Proofs } from '../proofs/proofs.ts';
import { renewAt } from './due.ts';
import type { Names } from './names-port.ts';
import { selectOrderStates, wantOrder } from './order-store.ts';
import type { Orders } from './orders.ts';
import { type CurrentCertificate, deleteOrphans, selectAllCurrent } from './store.ts';
import type { EdgeCertificates } from './sync.ts';

type On = {
  db: Db;
  log: Log;
  baseDomain: string;
  names: Names;
  proofs: Proofs;
  /** None where certificates are only uploaded. */
  orders: Orders | undefined;
  edgeCertificates: EdgeCertificates;
};

const everyMs = 15_000;
const tidyEveryMs = 60_000;
const atOnce = 3;

/** Sees to it that names have certificates that are good, and that the edge has them. Every replica does it. */
export class CertificateWorker {
  readonly #on: On;
  readonly #rounds: Rounds;
  #tidyAt = 0;

  constructor(on: On) {
    this.#on = on;
    const warn = (message: string) => on.log.warn(`looking after certificates: ${message}`);
    this.#rounds = new Rounds({ everyMs, warn, round: () => this.#round() });
  }

  /** Begins at once and waits for nobody. */
  start(): void {
    this.#rounds.start();
  }

  /** Something has changed: a name came or went, or a certificate was uploaded. */
  soon(): void {
    this.#rounds.soon();
  }

  async stop(): Promise<void> {
    await this.#rounds.stop();
    await this.#on.orders?.stop();
  }

  async #round(): Promise<void> {
    const { edgeCertificates, proofs, db, baseDomain } = this.#on;
    // Each is worth something without the other; the first trouble is told.
    const results = await Promise.allSettled([edgeCertificates.sync(), this.#order()]);
    if (Date.now() >= this.#tidyAt) {
      this.#tidyAt = Date.now() + tidyEveryMs;
      await proofs.tidy();
      await deleteOrphans(db, baseDomain);
    }
    const failed = results.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** Those that are under way are not waited for: the next round begins more of them. */
  async #order(): Promise<void> {
    const { orders, db, names } = this.#on;
    if (!orders) return;
    // Orders first: one that ends in between has its certificate among those that are read after it.
    const states = await selectOrderStates(db);
    const current = new Map((await selectAllCurrent(db)).map((each) => [each.name, each]));
    for (const each of await names.wanted()) {
      const seen = states.get(each.name);
      const isOpen = seen !== undefined && seen.status !== 'done';
      if (!isOpen && needsOne(current.get(each.name), each.projectId)) await wantOrder(db, each, seen);
    }
    while (orders.count < atOnce && (await orders.beginNext()));
    if (orders.count) void orders.anyEnded().then(() => this.soon());
  }
}

/** What somebody has uploaded is theirs to renew; only when it is over, any certificate is better than that one. */
function needsOne(current: CurrentCertificate | undefined, projectId: string): boolean {
  if (!current || current.project_id !== projectId) return true;
  if (current.source === 'uploaded') return current.not_after < Date.now();
  const { fingerprint, not_before: notBefore, not_after: notAfter } = current;
  return renewAt({ fingerprint, notBefore, notAfter }) <= Date.now();
}
