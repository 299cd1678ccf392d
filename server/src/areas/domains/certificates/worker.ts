import type { Db } from '../../../db/database.ts';
import type { Log } from '../../../lib/log.ts';
import { PeriodicTask } from '../../../lib/periodic-task.ts';
import type { DashboardName } from '../dashboard/dashboard-name.ts';
import type { Proofs } from '../proofs/proofs.ts';
import { orderReasonFor } from './due.ts';
import type { OrderLimits } from './limits.ts';
import type { CertificateNamesPort } from './certificate-names-port.ts';
import type { CertificatesOnEdges } from './on-edges.ts';
import { selectOrderStates, wantOrder } from './order-store.ts';
import type { Orders } from './orders.ts';
import { deleteOrphans, selectAllWanted } from './store.ts';

type Deps = {
  db: Db;
  log: Log;
  baseDomain: string;
  dashboard: DashboardName | undefined;
  names: CertificateNamesPort;
  proofs: Proofs;
  limits: OrderLimits;
  /** Undefined if certificates can only be uploaded. */
  orders: Orders | undefined;
  edgeCertificates: CertificatesOnEdges;
  /** Updates the contact address at the authority if it has changed. */
  tellContact: () => Promise<void>;
};

const everyMs = 15_000;
const tidyEveryMs = 60_000;
const atOnce = 3;

/** Orders and renews certificates and loads them into the edge. Runs on every replica. */
export class CertificateWorker {
  readonly #deps: Deps;
  readonly #rounds: PeriodicTask;
  #tidyAt = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
    const warn = (message: string) => deps.log.warn(`checking certificates: ${message}`);
    this.#rounds = new PeriodicTask({ everyMs, warn, round: () => this.#round() });
  }

  start(): void {
    this.#rounds.start();
    this.#deps.edgeCertificates.start();
    // Not awaited: certificates do not depend on it.
    this.#deps
      .tellContact()
      .catch((error: Error) =>
        this.#deps.log.warn(`the contact address was not sent to the certificate authority: ${error.message}`),
      );
  }

  /** Runs the next round now. */
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
    const { edgeCertificates, log } = this.#deps;
    // A failure of one must not prevent the others.
    const results = await Promise.allSettled([edgeCertificates.sync(), this.#order()]);
    // After the edge of this replica has loaded new certificates.
    results.push(...(await Promise.allSettled([this.#refreshAndTidy()])));
    const [first, ...others] = results.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    for (const { reason } of others) log.warn(`certificates, also: ${(reason as Error).message}`);
    if (first) throw first.reason;
  }

  async #refreshAndTidy(): Promise<void> {
    const { proofs, limits, db, baseDomain, dashboard } = this.#deps;
    await dashboard?.refresh();
    if (Date.now() < this.#tidyAt) return;
    this.#tidyAt = Date.now() + tidyEveryMs;
    await proofs.tidy();
    await limits.tidy();
    await deleteOrphans(db, baseDomain, dashboard?.host);
  }

  /** Does not wait for running orders: the next round starts more of them. */
  async #order(): Promise<void> {
    const { orders, db, names } = this.#deps;
    if (!orders) return;
    // Orders are read first: the certificate of an order that ends in between is then among those read after it.
    const states = await selectOrderStates(db);
    const kept = await selectAllWanted(db);
    for (const each of await names.wanted()) {
      const seen = states.get(each.name);
      const isOpen = seen !== undefined && seen.status !== 'done';
      if (!isOpen && orderReasonFor(kept.get(each.name), each.projectId) !== 'asked') await wantOrder(db, each, seen);
    }
    while (orders.count < atOnce && (await orders.beginNext()));
    if (orders.count) void orders.anyEnded().then(() => this.soon());
  }
}
