/** Who we are to an authority. */
export interface AuthorityAccount {
  /** PEM. */
  privateKey: string;
  /** Null before the authority knows us. */
  url: string | null;
}

/** What the authority will ask for under the name, and what has to be answered there. */
export interface ChallengeProof {
  name: string;
  token: string;
  answer: string;
}

export interface Issue {
  /** Lower case, in ASCII. */
  name: string;
  account: AuthorityAccount;
  /** Called once the authority knows the account, also when it has forgotten the one before. */
  onAccount(url: string): Promise<void>;
  /** When it returns, the answer is given wherever the name is asked. */
  prove(proof: ChallengeProof): Promise<void>;
  /** Aborts the order; the reason is what is thrown. */
  signal: AbortSignal;
  /** Until when the certificate must be here. */
  withinMs: number;
}

export interface Issued {
  /** PEM: the certificate of the domain first, then the intermediates. */
  chain: string;
  /** PEM, of a key made for this certificate alone. */
  privateKey: string;
}

/** Issues certificates for names that prove to be ours. Fails with a `CertificateError`. */
export interface CertificateAuthority {
  /** Names it: the address that it is reached at. */
  readonly directory: string;
  /** The e-mail address that it is to write to. */
  readonly contact: string | undefined;
  issue(wanted: Issue): Promise<Issued>;
  /** Tells it the contact anew, for an account that it knows. */
  tellContact(account: AuthorityAccount & { url: string }, withinMs: number): Promise<void>;
}
