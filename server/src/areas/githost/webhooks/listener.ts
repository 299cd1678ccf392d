import { z } from '../../../lib/zod/index.ts';
import type { GitHostEvent, PushEvent } from '../../../drivers/githost/webhook-events.ts';

/** Outcome for one project: a deployment, or the reason for none. */
const ProjectOutcome = z.object({
  projectId: z.string(),
  deploymentId: z.string().nullable(),
  why: z.string().nullable(),
  /** The organization no longer sees the repository. */
  isLost: z.boolean().optional(),
});
export type ProjectOutcome = z.infer<typeof ProjectOutcome>;

export const DeliveryOutcome = z.object({ why: z.string().nullable(), projects: z.array(ProjectOutcome) });
export type DeliveryOutcome = z.infer<typeof DeliveryOutcome>;

/** Deploys pushed commits. */
export interface PushListener {
  /** Returns the organizations that follow a repository. */
  organizationsOf(repositoryId: number): Promise<string[]>;
  /**
   * Handles a push for one organization. Throws temporary GitHostErrors, which are retried. `known` has the outcomes
   * of earlier attempts and receives the new ones, also on failure.
   */
  pushed(organizationId: string, event: PushEvent, known: ProjectOutcome[]): Promise<void>;
  /** Records whether a webhook covers the repository. */
  recordWebhook(repositoryId: number, isRegistered: boolean): Promise<void>;
}

export type InstallationEvent = Extract<GitHostEvent, { type: 'installation' }>;

/** Called when the app was uninstalled, suspended or resumed, with the organization of the delivery. */
export type OnInstallation = (event: InstallationEvent, organizationId: string) => Promise<void>;

/** Identifies a delivery: the git host's id, and the SHA-256 of the body. */
export type DeliveryKey = { guid: string; digest: string };

/** Forwards deliveries of the app to linked instances. */
export interface DeliveryForwarder {
  /** Forwards a push before it is handled here; returns the number of recipients. */
  pushed(event: PushEvent, named: DeliveryKey): Promise<number>;
  /** Forwards an installation event after it is handled here, since recipients then query the new state. */
  handled(organizationId: string, event: GitHostEvent, named: DeliveryKey): Promise<void>;
}
