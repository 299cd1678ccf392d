import { type Config, dashboardHostOf, outboundReachOf } from '../../config.ts';
import type { DatabaseKind, Db, Trx } from '../../db/database.ts';
import type { DomainTable, ProjectTable } from '../../db/tables.ts';
import type { CertificateAuthority } from '../../drivers/certs/authority.ts';
import type { Edge } from '../../drivers/edge/edge.ts';
import type { Route } from '../../http/define-route.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import { instanceHostOf } from '../projects/port.ts';
import { AuthorityAccounts } from './certificates/accounts.ts';
import { OrderLimits } from './certificates/limits.ts';
import { CertificateNames } from './certificates/certificate-names.ts';
import { retryPointed } from './certificates/order-store.ts';
import { CertificatesOnEdges } from './certificates/on-edges.ts';
import { Orders } from './certificates/orders.ts';
import { certificateRoutes } from './certificates/routes.ts';
import { Renewals } from './certificates/renewals.ts';
import { Ssl } from './certificates/ssl.ts';
import { UploadedCertificates } from './certificates/uploads.ts';
import { certificateStates } from './certificates/states.ts';
import { markWaitingForEdge } from './certificates/store.ts';
import { CertificateWorker } from './certificates/worker.ts';
import { DashboardName } from './dashboard/dashboard-name.ts';
import { OwnershipClaims } from './domains/ownership-claims.ts';
import { domainRoutes } from './domains/routes.ts';
import { Domains } from './domains/service.ts';
import { EdgeLocations } from './edges/edge-locations.ts';
import { ReleaseNames } from './release-names.ts';
import { DomainPointing } from './pointing/pointing.ts';
import { addressHosts, ownAddresses } from './pointing/own-addresses.ts';
import { NameResolver } from './pointing/resolver.ts';
import { Proofs } from './proofs/proofs.ts';
import { proofRoutes } from './proofs/routes.ts';
import { TrafficCollector } from './traffic/collector.ts';
import { trafficRoutes } from './traffic/routes.ts';

/** Domains of projects, and their certificates. */
export interface DomainsArea {
  routes: Route[];
  domains: Domains;
  /** Names to route on the edge. */
  names: ReleaseNames;
  traffic: TrafficCollector;
  /** Undefined if the edge of this machine does not serve the dashboard. */
  dashboard: DashboardName | undefined;
  /** Edges that serve the names. */
  places: EdgeLocations;
  /** Starts the certificate worker and the traffic collector without waiting for them. */
  start(): void;
  /** Marks a moved project's certificates as pending until the edge of the new server has loaded them. */
  onMove: (trx: Trx, project: Pick<ProjectTable, 'id' | 'organizationId'>) => Promise<void>;
  /** Checks certificates now instead of in the next round. */
  soon(): void;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  /** For the edges of servers. */
  background: Db;
  kind: DatabaseKind;
  config: Pick<
    Config,
    | 'mode'
    | 'allowPrivateTargets'
    | 'baseDomain'
    | 'publicUrl'
    | 'dnsServers'
    | 'certificateTimeout'
    | 'publicAddresses'
    | keyof Parameters<typeof dashboardHostOf>[0]
  >;
  sealer: Sealer;
  log: Log;
  instanceId: string;
  /** Identifies this replica, also after a restart. */
  owner: string;
  edge: Edge;
  /** Undefined if certificates can only be uploaded. */
  authority: CertificateAuthority | undefined;
};

export function createDomains(options: Options): DomainsArea {
  const { db, background, config, sealer, log, edge, authority, owner } = options;
  const { baseDomain } = config;
  const reach = outboundReachOf(config);
  const withinMs = config.certificateTimeout * 1000;
  const proofs = new Proofs(db, log);
  const resolver = new NameResolver({ servers: config.dnsServers, reach });
  const addresses = () => config.publicAddresses ?? ownAddresses();
  const places = new EdgeLocations({ db, kind: options.kind, owner, edge, baseDomain, addresses, resolver });
  const pointing = new DomainPointing({ proofs, resolver, reach, publicAddresses: config.publicAddresses });
  const instanceHost = instanceHostOf(config);
  const dashboard = dashboardOf(options);
  const dashboardHost = dashboard?.host;
  const names = new CertificateNames({ db, baseDomain, instanceHost, dashboardHost, pointing, places });
  const claims = new OwnershipClaims({ instanceId: options.instanceId, texts: (name) => resolver.texts(name) });
  const look = async ({ name, projectId }: DomainTable) => pointing.look(name, await places.ofProject(projectId));
  const onPointing = async (name: string) => {
    if (await retryPointed(db, name)) worker.soon();
  };
  const domains = new Domains({ db, baseDomain, instanceHost, claims, look, onPointing });
  const onServed = async (name: string) => {
    if (name === dashboardHost) await dashboard?.refresh();
    else await domains.updateRoutesOf(name);
  };
  const edgeCertificates = new CertificatesOnEdges({ ...options, db: background, places, onServed });
  const onIssued = (name: string) => edgeCertificates.syncOf(name);
  const accounts = new AuthorityAccounts(db, sealer);
  const limits = new OrderLimits({ db, kind: options.kind, baseDomain });
  const work = { ...options, names, places, proofs, accounts, limits, withinMs, onIssued };
  const orders = authority && new Orders({ ...work, authority });
  const tellContact = async () => authority && accounts.tellContact(authority, withinMs);
  const worker = new CertificateWorker({ ...work, baseDomain, dashboard, orders, edgeCertificates, tellContact });
  const onChanged = async (name: string) => {
    // The certificate is stored already; an unreachable edge loads it in a later round.
    const problem = await edgeCertificates.problemOf(name);
    if (problem !== undefined) log.warn(`the certificate of ${name}: ${problem}`);
    await onServed(name).catch((error: Error) => log.warn(`the routes of ${name}: ${error.message}`));
    worker.soon();
    return problem;
  };
  domains.onChange(async () => worker.soon());
  const traffic = new TrafficCollector({ db: background, places, log });
  const ssl = new Ssl({ ...work, hasAuthority: authority !== undefined, resolver, reach });
  const renewals = new Renewals({ ...work, orders, edgeCertificates });
  const uploads = new UploadedCertificates({ ...work, onChanged });
  return {
    routes: [
      ...proofRoutes(proofs),
      ...domainRoutes({
        domains,
        certificatesOf: (rows) => certificateStates(db, rows, authority !== undefined),
        placeOf: (projectId) => places.ofProject(projectId),
      }),
      ...certificateRoutes({ ssl, renewals, uploads }),
      ...trafficRoutes(db),
    ],
    domains,
    names: new ReleaseNames(db, instanceHost),
    traffic,
    dashboard,
    places,
    start() {
      worker.start();
      traffic.start();
    },
    onMove: (trx, { id, organizationId }) => markWaitingForEdge(trx, organizationId, id),
    soon: () => worker.soon(),
    stop: async () => void (await Promise.all([worker.stop(), traffic.stop()])),
  };
}

function dashboardOf({ db, edge, config }: Options): DashboardName | undefined {
  if (dashboardHostOf(config) === undefined) return undefined;
  return new DashboardName({ db, edge, url: config.publicUrl!, addresses: addressHosts(config.publicAddresses) });
}
