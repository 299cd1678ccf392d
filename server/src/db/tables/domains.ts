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
  organization_id: string;
  project_id: string;
  environment: string;
  /** Lower case, in ASCII. Unique in the instance. */
  name: string;
  /** Which of several services; null: the one that the project's own address leads to. */
  service: string | null;
  /** Only what is below this path is answered here; `/` for everything. */
  path: string;
  /** Another name of the project, or an origin, where visitors are sent; null: they are answered here. */
  redirect_to: string | null;
  is_primary: number;
  https: 'redirect' | 'optional';
  hsts_seconds: number | null;
  /** JSON: whether the name leads here, as it was seen last; null before it was looked at. */
  pointing: string | null;
  checked_at: number | null;
  created_by: string;
  created_at: number;
  updated_at: number;
}

/** A name that was taken away from a project. Settings and deployments of before may still ask for it. */
export interface RemovedDomainTable {
  organization_id: string;
  project_id: string;
  name: string;
  removed_at: number;
}

/** A certificate for one name. The one before stays until the next is there. */
export interface CertificateTable {
  id: string;
  organization_id: string;
  project_id: string;
  name: string;
  source: 'acme' | 'uploaded';
  /** PEM. */
  chain: string;
  /** Sealed. */
  private_key: string;
  /** SHA-256 of its own certificate, lower-case hex. */
  fingerprint: string;
  not_before: number;
  not_after: number;
  /** Whether it serves. */
  is_current: number;
  /** Whether it serves once the edge has it; one of a name at most. */
  is_next: number;
  created_at: number;
}

/** The way to the next certificate of a name: one at a time, whoever works on it. */
export interface CertificateOrderTable {
  name: string;
  organization_id: string;
  project_id: string;
  /** One that failed is tried again at `next_at`. */
  status: 'waiting' | 'running' | 'failed' | 'done';
  /** How often it failed in a row. */
  attempts: number;
  /** Nobody begins before. */
  next_at: number;
  /** JSON: code, message and hint of the last failure. */
  error: string | null;
  owner: string | null;
  fence: number;
  lease_until: number | null;
  updated_at: number;
}

/** What was ordered of an authority in the last days. Its limits are the instance's: whosever names they were, and also when
 * the name or its owner are gone. */
export interface AuthorityOrderTable {
  id: string;
  organization_id: string;
  name: string;
  reason: 'first' | 'renewal' | 'asked';
  /** Whether the name is below the instance's own domain, which all organizations share. */
  is_below: number;
  is_issued: number;
  ordered_at: number;
}

/** Who we are to a certificate authority. */
export interface AcmeAccountTable {
  directory: string;
  url: string | null;
  /** The e-mail address that it was told last. */
  contact: string | null;
  /** Sealed. */
  private_key: string;
  created_at: number;
}

/** What is answered under `/.well-known/acme-challenge/<token>`. Not secret. */
export interface DomainProofTable {
  token: string;
  host: string;
  answer: string;
  expires_at: number;
}

/** What was asked of a project in a minute or an hour, counted by one run of an edge. */
export interface TrafficTable {
  organization_id: string;
  project_id: string;
  environment: string;
  span: 'minute' | 'hour';
  begins_at: number;
  /** Empty where several were added up. */
  run: string;
  requests: number;
  bytes_in: number;
  bytes_out: number;
  /** JSON: five counts. */
  statuses: string;
  /** JSON: counts by the edge's bounds. */
  latency: string;
}
