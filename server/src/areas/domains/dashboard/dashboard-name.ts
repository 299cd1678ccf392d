import type { Db } from '../../../db/database.ts';
import { type Edge, instanceDeployment, instanceKey, type Upstream } from '../../../drivers/edge/edge.ts';
import { selectOrder } from '../certificates/order-store.ts';
import { orderError } from '../certificates/schemas.ts';
import { selectCurrentCertificate } from '../certificates/store.ts';

type Options = {
  db: Db;
  edge: Edge;
  /** `https://<host>`, with the port if it is not 443. */
  url: string;
  /** Addresses of this machine as host names of URLs, the best one first. */
  addresses: readonly string[];
};

/** Why the dashboard has no certificate yet. */
export type CertificateProgress = {
  domain: string;
  url: string;
  error: { message: string; fix: string } | null;
};

const hstsSeconds = 31_536_000;

/** The dashboard's host name at the edge of this machine. */
export class DashboardName {
  readonly host: string;
  readonly #options: Options;
  #hasCertificate = false;
  readonly #issued = Promise.withResolvers<void>();

  constructor(options: Options) {
    this.#options = options;
    this.host = new URL(options.url).hostname;
  }

  /** Plain HTTP is allowed until then. An expired certificate does not allow it again. */
  get hasCertificate(): boolean {
    return this.#hasCertificate;
  }

  /** Resolves when there is a certificate. */
  get issued(): Promise<void> {
    return this.#issued.promise;
  }

  async refresh(): Promise<void> {
    if (this.#hasCertificate || !(await selectCurrentCertificate(this.#options.db, null, this.host))) return;
    this.#hasCertificate = true;
    this.#issued.resolve();
  }

  /** Returns null once there is a certificate. */
  async progress(): Promise<CertificateProgress | null> {
    if (this.#hasCertificate) return null;
    const { db, url } = this.#options;
    const order = await selectOrder(db, this.host);
    const error = order?.status === 'failed' ? orderError(order) : null;
    return { domain: this.host, url, error: error && { message: error.message, fix: error.hint } };
  }

  /** Returns where the dashboard responds without a certificate. */
  plainUrls(): string[] {
    const { edge, addresses } = this.#options;
    return [...addresses.slice(0, 1), this.host].map((host) => edge.url(host));
  }

  /** Routes the name, and the addresses of this machine, to the service, and ends the hold of `pause`. */
  async route(service: Upstream): Promise<void> {
    const { edge, addresses } = this.#options;
    const to = { path: '/', deploymentId: instanceDeployment, target: { type: 'upstream' as const, ...service } };
    const own = { host: this.host, ...to, https: 'redirect' as const, hstsSeconds };
    const routes = [own, ...addresses.map((host) => ({ host, ...to }))];
    await edge.point({ key: instanceKey, fence: 1, routes });
    await edge.resume(instanceDeployment);
  }

  /** Makes requests wait at the edge while the service restarts. */
  async pause(times: { withinMs: number; drainMs: number }): Promise<void> {
    await this.#options.edge.hold(instanceDeployment, times);
  }
}

/** Removes the routes of a name that the dashboard had before. */
export async function withdrawDashboard(edge: Edge): Promise<void> {
  if ((await edge.list()).some(({ key }) => key === instanceKey)) await edge.remove(instanceKey);
}
