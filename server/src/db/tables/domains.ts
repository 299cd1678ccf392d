/** Domains of projects, their certificates and traffic. */
export interface DomainTables {
  domains: DomainTable;
  removed_domains: RemovedDomainTable;
  certificates: CertificateTable;
  certificate_orders: CertificateOrderTable;
  authority_orders: AuthorityOrderTable;
  acme_accounts: AcmeAccountTable;
  domain_proofs: DomainProofTable;
  traffic: TrafficTable;
}

/** A custom domain. Names below the instance's own domain are in `host_names`. */
export interface DomainTable {
  id: string;
  organizationId: string;
  projectId: string;
  environment: string;
  /** Lower-case ASCII. Unique in the instance. */
  name: string;
  /** The service it leads to; null: the one behind the project's own URL. */
  service: string | null;
  /** Only requests below this path are served; `/` for all. */
  path: string;
  /** Redirect target, another domain of the project or an origin; null: served here. */
  redirectTo: string | null;
  isPrimary: number;
  https: 'redirect' | 'optional';
  hstsSeconds: number | null;
  /** JSON: last result of the DNS check; null before the first. */
  pointing: string | null;
  checkedAt: number | null;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

/** A domain that was removed from a project. Earlier settings and deployments may still refer to it. */
export interface RemovedDomainTable {
  organizationId: string;
  projectId: string;
  name: string;
  removedAt: number;
}

/** A certificate for one domain. The previous one stays until the next is issued. */
export interface CertificateTable {
  id: string;
  /** Null, like the project, for the dashboard's own. */
  organizationId: string | null;
  projectId: string | null;
  name: string;
  source: 'acme' | 'uploaded';
  /** PEM. */
  chain: string;
  /** Sealed. */
  privateKey: string;
  /** SHA-256 of the leaf certificate, lower-case hex. */
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  /** Whether it is in use. */
  isCurrent: number;
  /** Whether it comes into use once the edge has it; at most one per domain. */
  isNext: number;
  createdAt: number;
}

/** The order of a domain's next certificate: one at a time, whichever replica works on it. */
export interface CertificateOrderTable {
  name: string;
  /** Null, like the project, for the dashboard's own. */
  organizationId: string | null;
  projectId: string | null;
  /** A failed order is retried at `nextAt`. */
  status: 'waiting' | 'running' | 'failed' | 'done';
  /** Number of consecutive failures. */
  attempts: number;
  /** Not started before. */
  nextAt: number;
  /** JSON: code, message and hint of the last failure. */
  error: string | null;
  owner: string | null;
  fence: number;
  leaseUntil: number | null;
  updatedAt: number;
}

/** Recent orders at a certificate authority. Its rate limits apply to the whole instance, including domains and
 * owners that are gone. */
export interface AuthorityOrderTable {
  id: string;
  organizationId: string;
  name: string;
  reason: 'first' | 'renewal' | 'asked';
  /** Whether the domain is below the instance's own, which all organizations share. */
  isBelow: number;
  isIssued: number;
  orderedAt: number;
}

/** An account at a certificate authority. */
export interface AcmeAccountTable {
  directory: string;
  url: string | null;
  /** Contact address that the authority has. */
  contact: string | null;
  /** Sealed. */
  privateKey: string;
  createdAt: number;
}

/** Responses for `/.well-known/acme-challenge/<token>`. Not secret. */
export interface DomainProofTable {
  token: string;
  host: string;
  answer: string;
  expiresAt: number;
}

/** Traffic of a project in a minute or an hour, counted by one run of an edge. */
export interface TrafficTable {
  organizationId: string;
  projectId: string;
  environment: string;
  span: 'minute' | 'hour';
  beginsAt: number;
  /** Empty for merged rows. */
  run: string;
  requests: number;
  bytesIn: number;
  bytesOut: number;
  /** JSON: five counts. */
  statuses: string;
  /** JSON: histogram by the edge's latency bounds. */
  latency: string;
}
