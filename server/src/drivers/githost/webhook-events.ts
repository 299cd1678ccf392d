import type { RepositoryName } from './githost.ts';

/** Repository as named in a webhook. The id survives a rename. */
export interface AnnouncedRepository extends RepositoryName {
  id: number;
  /** Current default branch, if the host sends it. It may have changed. */
  defaultBranch?: string;
}

export interface AnnouncedInstallation {
  id: number;
  account: { id: number; login: string; type: 'user' | 'organization' };
}

export type GitRef = { kind: 'branch' | 'tag'; name: string };

/** Push to a branch or a tag, including its creation and deletion. */
export interface PushEvent {
  type: 'push';
  repository: AnnouncedRepository;
  installationId: number | null;
  ref: GitRef;
  /** Null when the ref is deleted. */
  commitSha: string | null;
  /** Null when the ref is new. */
  beforeSha: string | null;
  message: string;
  pusher: string;
  changedFiles: string[];
  /** False when the host truncated the list; compare the commits instead. */
  hasAllFiles: boolean;
  isDeleted: boolean;
  isForced: boolean;
}

/** Webhook events that Mooring handles; all others are `other`. */
export type GitHostEvent =
  | PushEvent
  | { type: 'ping'; hookId: number | null; repository: AnnouncedRepository | null }
  | { type: 'ref_created' | 'ref_deleted'; repository: AnnouncedRepository; ref: GitRef }
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
