import type { GitHostEvent, PushEvent } from '../../../drivers/githost/webhook-events.ts';

/** What came of an announcement for one project: a deployment, or why there is none. */
export type ProjectOutcome = {
  projectId: string;
  deploymentId: string | null;
  why: string | null;
  /** The organization does not see the repository any more. */
  isLost?: boolean;
};

/** What is written down about a delivery. */
export type Outcome = { why: string | null; projects: ProjectOutcome[] };

/** Whoever deploys what is pushed. */
export interface PushListener {
  /** The organizations that follow a repository. */
  organizationsOf(repositoryId: number): Promise<string[]>;
  /** Does what a push asks for in one organization. A GitHostError that may pass is thrown: it is tried again. `known` is what
   * tries before this one have brought, and gets what this one brings, also if it fails. */
  pushed(organizationId: string, event: PushEvent, known: ProjectOutcome[]): Promise<void>;
  /** Whether the host announces what happens to a repository. */
  announced(repositoryId: number, isAnnounced: boolean): Promise<void>;
}

export type InstallationEvent = Extract<GitHostEvent, { type: 'installation' }>;

/** Told when the app was removed, put to sleep or woken up at the host. */
export type OnInstallation = (event: InstallationEvent) => Promise<void>;
