import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { Rounds } from '../../../lib/rounds.ts';
import type { Proofs } from '../proofs/proofs.ts';
import { reasonFor } from './due.ts';
import type { OrderLimits } from './limits.ts';
import type { CertificateNamesPort } from './names-port.ts';
import type { CertificatesOnEdges } from './on-edges.ts';
import { selectOrderStates, wantOrder } from './order-store.ts';
import type { Orders } from './orders.ts';
import { deleteOrphans, selectAllWanted } from './store.ts';

type Deps = {
  db: Db;
  log: Log;
  baseDomain: string;
  names: CertificateNamesPort;
  proofs: Proofs;
  limits: OrderLimits;
  /** None where certificates are only uploaded. */
  orders: Orders | undefined;
  edgeCertificates: CertificatesOnEdges;
  /** Tells the authority whom to write to, if that has changed. */
  tellContact: () => Promise<void>;
};

const everyMs = 15_000;
const tidyEveryMs = 60_000;
const atOnce = 3;

/** Sees to it that names have certificates that are good, and that the edge has them. Every replica does it. */
export class CertificateWorker {
  readonly #deps: Deps;
  readonly #rounds: Rounds;
  #tidyAt = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`checking certificates: ${message}`);
    this.#rounds = new Rounds({ everyMs, warn, round: () => this.#round() });
  }

  /** Begins at once and waits for nobody. */
  start(): void {
    this.#rounds.start();
    this.#deps.edgeCertificates.start();
    // Once with each start: certificates come without it.
    this.#deps
      .tellContact()
      .catch((error: Error) =>
        this.#deps.log.warn(`the contact address was not sent to the certificate authority: ${error.message}`),
      );
  }

  /** Something has changed: a name came or went, or a certificate was uploaded. */
  soon(): void {
    this.#rounds.soon();
    this.#deps.edgeCertificates.soon();
  }

  async stop(): Promise<void> {
    const { edgeCertificates, orders } = this.#deps;
    await Promise.all([this.#rounds.stop(), edgeCertificates.stop()]);
    await orders?.stop();
  }

  async #round(): Promise<void> {
    const { edgeCertificates, proofs, limits, db, baseDomain, log } = this.#deps;
    // Each is worth something without the other.
    const results = await Promise.allSettled([edgeCertificates.sync(), this.#order()]);
    if (Date.now() >= this.#tidyAt) {
      this.#tidyAt = Date.now() + tidyEveryMs;
      await proofs.tidy();
      await limits.tidy();
      await deleteOrphans(db, baseDomain);
    }
    const [first, second] = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    if (second) log.warn(`certificates, also: ${(second.reason as Error).message}`);
    if (first) throw first.reason;
  }

  /** Those that are under way are not waited for: the next round begins more of them. */
  async #order(): Promise<void> {
    const { orders, db, names } = this.#deps;
    if (!orders) return;
    // Orders first: one that ends in between has its certificate among those that are read after it.
    const states = await selectOrderStates(db);
    const kept = await selectAllWanted(db);
    for (const each of await names.wanted()) {
      const seen = states.get(each.name);
      const isOpen = seen !== undefined && seen.status !== 'done';
      if (!isOpen && reasonFor(kept.get(each.name), each.projectId) !== 'asked') await wantOrder(db, each, seen);
    }
    while (orders.count < atOnce && (await orders.beginNext()));
    if (orders.count) void orders.anyEnded().then(() => this.soon());
  }
}
