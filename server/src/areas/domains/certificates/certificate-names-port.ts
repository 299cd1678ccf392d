import type { Caller } from '../../../http/caller.ts';

export interface CertificateOwner {
  name: string;
  /** Null, like the project, for the dashboard's own name. */
  organizationId: string | null;
  projectId: string | null;
}

export type CertificateNameState = CertificateOwner & { isWanted: boolean; isAnswering: boolean };

/** Where a name points to. */
export type PointingResult = { addresses: string[] } & (
  | { ok: true }
  | { ok: false; status: 'not_found' | 'elsewhere' | 'unreachable'; message: string; fix: string }
);

/** Names as the certificate code needs them. */
export interface CertificateNamesPort {
  /** Names that should have a certificate. */
  wanted(): Promise<CertificateOwner[]>;
  /**
   * Returns the owner of a name. `isWanted` as in `wanted`; `isAnswering` is false if nothing is deployed under a
   * free name.
   */
  ownerOf(name: string): Promise<CertificateNameState | undefined>;
  /** Whether the caller can see the name and has the permission for the action. */
  visibleTo(caller: Caller, name: string, action: 'read' | 'write'): Promise<boolean>;
  /** Whether the name points to the edge that serves its project. */
  leadsHere(owner: CertificateOwner, signal: AbortSignal): Promise<PointingResult>;
}
