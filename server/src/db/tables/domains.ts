/** Names of projects, the certificates for them, and how often they are asked. */
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

/** A name of the user's own. Names below the instance's own domain are in `host_names`. */
export interface DomainTable {
  id: string;
  organizationId: string;
  projectId: string;
  environment: string;
  /** Lower case, in ASCII. Unique in the instance. */
  name: string;
  /** Which of several services; null: the one that the project's own address leads to. */
  service: string | null;
  /** Only what is below this path is answered here; `/` for everything. */
  path: string;
  /** Another name of the project, or an origin, where visitors are sent; null: they are answered here. */
  redirectTo: string | null;
  isPrimary: number;
  https: 'redirect' | 'optional';
  hstsSeconds: number | null;
  /** JSON: whether the name leads here, as it was seen last; null before it was looked at. */
  pointing: string | null;
  checkedAt: number | null;
  createdBy: string;
  createdAt: number;
  updatedAt: number;
}

/** A name that was taken away from a project. Settings and deployments of before may still ask for it. */
export interface RemovedDomainTable {
  organizationId: string;
  projectId: string;
  name: string;
  removedAt: number;
}

/** A certificate for one name. The one before stays until the next is there. */
export interface CertificateTable {
  id: string;
  organizationId: string;
  projectId: string;
  name: string;
  source: 'acme' | 'uploaded';
  /** PEM. */
  chain: string;
  /** Sealed. */
  privateKey: string;
  /** SHA-256 of its own certificate, lower-case hex. */
  fingerprint: string;
  notBefore: number;
  notAfter: number;
  /** Whether it serves. */
  isCurrent: number;
  /** Whether it serves once the edge has it; one of a name at most. */
  isNext: number;
  createdAt: number;
}

/** The way to the next certificate of a name: one at a time, whoever works on it. */
export interface CertificateOrderTable {
  name: string;
  organizationId: string;
  projectId: string;
  /** One that failed is tried again at `nextAt`. */
  status: 'waiting' | 'running' | 'failed' | 'done';
  /** Number of consecutive failures. */
  attempts: number;
  /** Nobody begins before. */
  nextAt: number;
  /** JSON: code, message and hint of the last failure. */
  error: string | null;
  owner: string | null;
  fence: number;
  leaseUntil: number | null;
  updatedAt: number;
}

/** What was ordered of an authority in the last days. Its limits are the instance's: whosever names they were, and also when
 * the name or its owner are gone. */
export interface AuthorityOrderTable {
  id: string;
  organizationId: string;
  name: string;
  reason: 'first' | 'renewal' | 'asked';
  /** Whether the name is below the instance's own domain, which all organizations share. */
  isBelow: number;
  isIssued: number;
  orderedAt: number;
}

/** Who we are to a certificate authority. */
export interface AcmeAccountTable {
  directory: string;
  url: string | null;
  /** The e-mail address that it was told last. */
  contact: string | null;
  /** Sealed. */
  privateKey: string;
  createdAt: number;
}

/** What is answered under `/.well-known/acme-challenge/<token>`. Not secret. */
export interface DomainProofTable {
  token: string;
  host: string;
  answer: string;
  expiresAt: number;
}

/** What was asked of a project in a minute or an hour, counted by one run of an edge. */
export interface TrafficTable {
  organizationId: string;
  projectId: string;
  environment: string;
  span: 'minute' | 'hour';
  beginsAt: number;
  /** Empty where several were added up. */
  run: string;
  requests: number;
  bytesIn: number;
  bytesOut: number;
  /** JSON: five counts. */
  statuses: string;
  /** JSON: counts by the edge's bounds. */
  latency: string;
}
