/** An account at an authority. */
export interface AuthorityAccount {
  /** PEM. */
  privateKey: string;
  /** Null before registration. */
  url: string | null;
}

/** An HTTP-01 challenge of a domain and its response. */
export interface ChallengeProof {
  name: string;
  token: string;
  answer: string;
}

export interface IssueRequest {
  /** Lower-case ASCII. */
  name: string;
  account: AuthorityAccount;
  /** Called when the account is registered, also after the authority forgot the previous one. */
  onAccount(url: string): Promise<void>;
  /** When it resolves, the response is served at the domain. */
  prove(proof: ChallengeProof): Promise<void>;
  /** Aborts the order; its reason is thrown. */
  signal: AbortSignal;
  /** Deadline of the order. */
  withinMs: number;
}

export interface IssuedCertificate {
  /** PEM: the leaf certificate first, then the intermediates. */
  chain: string;
  /** PEM, of a key made for this certificate alone. */
  privateKey: string;
}

/** Issues certificates for domains that pass validation. Fails with a `CertificateError`. */
export interface CertificateAuthority {
  /** Directory URL, which identifies it. */
  readonly directory: string;
  /** Contact e-mail address. */
  readonly contact: string | undefined;
  issue(wanted: IssueRequest): Promise<IssuedCertificate>;
  /** Updates the contact of an existing account. */
  tellContact(account: AuthorityAccount & { url: string }, withinMs: number): Promise<void>;
}
