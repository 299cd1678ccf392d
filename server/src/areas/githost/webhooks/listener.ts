import { z } from 'zod';
import type { GitHostEvent, PushEvent } from '../../../drivers/githost/webhook-events.ts';

/** What came of an announcement for one project: a deployment, or why there is none. */
const ProjectOutcome = z.object({
  projectId: z.string(),
  deploymentId: z.string().nullable(),
  why: z.string().nullable(),
  /** The organization does not see the repository any more. */
  isLost: z.boolean().optional(),
});
export type ProjectOutcome = z.infer<typeof ProjectOutcome>;

/** What is written down about a delivery. */
export const DeliveryOutcome = z.object({ why: z.string().nullable(), projects: z.array(ProjectOutcome) });
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

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

/** Told when the app was removed, put to sleep or woken up at the host, and by whose announcement. */
export type OnInstallation = (event: InstallationEvent, organizationId: string) => Promise<void>;

/** How an announcement is told from others: the host's name of it, and the SHA-256 of its bytes. */
export type DeliveryKey = { guid: string; digest: string };

/** Hands on what is announced to the app to organizations whose instance is elsewhere. */
export interface Handover {
  /** A push, before anything is done about it here; to how many it was handed. */
  pushed(event: PushEvent, named: DeliveryKey): Promise<number>;
  /** What is about an installation of theirs, once it is done with here: they will ask how it is now. */
  handled(organizationId: string, event: GitHostEvent, named: DeliveryKey): Promise<void>;
}
