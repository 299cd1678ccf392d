import type { RepositoryName } from './githost.ts';

/** A repository as an announcement names it. The number stays when it is renamed. */
export interface AnnouncedRepository extends RepositoryName {
  id: number;
  /** Where the host says it: the one of now, which may be another one than before. */
  defaultBranch?: string;
}

export interface AnnouncedInstallation {
  id: number;
  account: { id: number; login: string; type: 'user' | 'organization' };
}

export type Ref = { kind: 'branch' | 'tag'; name: string };

/** Somebody has moved a branch or a tag. */
export interface PushEvent {
  type: 'push';
  repository: AnnouncedRepository;
  installationId: number | null;
  ref: Ref;
  /** Null when it is deleted. */
  commitSha: string | null;
  /** Null when it is new. */
  beforeSha: string | null;
  message: string;
  pusher: string;
  changedFiles: string[];
  /** False when the host did not name them all; then only a comparison knows. */
  hasAllFiles: boolean;
  isDeleted: boolean;
  isForced: boolean;
}

/** What a host announces, as far as it means something to us. */
export type GitHostEvent =
  | PushEvent
  | { type: 'ping'; hookId: number | null; repository: AnnouncedRepository | null }
  | { type: 'ref_created' | 'ref_deleted'; repository: AnnouncedRepository; ref: Ref }
  | {
      type: 'installation';
      action: 'created' | 'deleted' | 'suspended' | 'resumed' | 'renamed' | 'changed';
      installation: AnnouncedInstallation;
    }
  | {
      type: 'repositories';
      installation: AnnouncedInstallation;
      added: AnnouncedRepository[];
      removed: AnnouncedRepository[];
    }
  | { type: 'other'; name: string };
