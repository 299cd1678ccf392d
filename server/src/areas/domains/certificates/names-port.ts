import type { Caller } from '../../../http/caller.ts';

/** A name and whose it is. */
export interface OwnedName {
  name: string;
  organizationId: string;
  projectId: string;
}

export type NameState = OwnedName & { isWanted: boolean; isAnswering: boolean };

/** Where visitors of a name come to. */
export type Leads = { addresses: string[] } & (
  | { ok: true }
  | { ok: false; status: 'not_found' | 'elsewhere' | 'unreachable'; message: string; fix: string }
);

/** What certificates need to know of names. */
export interface CertificateNamesPort {
  /** The names that should have a certificate. */
  wanted(): Promise<OwnedName[]>;
  /** Whose a name is; `isWanted` as above, `isAnswering` unless it needs something that is deployed and nothing is. */
  ownerOf(name: string): Promise<NameState | undefined>;
  /** Whether the name is a thing that the caller sees, and may do this to. */
  visibleTo(caller: Caller, name: string, action: 'read' | 'write'): Promise<boolean>;
  /** Whether visitors of the name come to the edge that answers for its project. */
  leadsHere(owner: OwnedName, signal: AbortSignal): Promise<Leads>;
}
