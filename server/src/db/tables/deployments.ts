import { z } from 'zod';
import { storedJson } from '../stored-json.ts';
import type { DeployTarget } from './projects.ts';

export const deploymentStatuses = [
  'queued',
  'building',
  'deploying',
  'ready',
  'failed',
  'cancelled',
  'partial_failure',
  'rejected',
] as const;
export type DeploymentStatus = (typeof deploymentStatuses)[number];

export const stepStatuses = ['waiting', 'running', 'done', 'skipped', 'failed', 'cancelled', 'not_run'] as const;
export type StepStatus = (typeof stepStatuses)[number];

/** About a deployment of which only some services came up. */
export type Decision = 'pending' | 'kept' | 'rejected';
export type Trigger = 'api' | 'upload' | 'push' | 'redeploy' | 'rollback';

/** Deployments, their steps, events and prompts. */
export interface DeploymentTables {
  deployments: DeploymentTable;
  deployment_fences: { projectId: string; environment: string; fence: number };
  deployment_steps: DeploymentStepTable;
  deployment_events: DeploymentEventTable;
  background_tasks: BackgroundTaskTable;
}

/** What a replica has promised to bring to its end. */
export interface BackgroundTaskTable {
  /** That of the deployment or project that is deleted, or one of its own. */
  id: string;
  kind: string;
  /** The replica that does it. */
  owner: string;
  /** JSON */
  details: string;
  createdAt: number;
}

export interface DeploymentTable {
  id: string;
  organizationId: string;
  projectId: string;
  environment: string;
  status: DeploymentStatus;
  decision: Decision | null;
  pinned: number;
  active: number;
  trigger: Trigger;
  branch: string | null;
  commitSha: string | null;
  commitMessage: string | null;
  /** JSON: the source as it was asked for (git url and ref, upload, path). */
  source: string;
  /** Sealed JSON: settings and variables as they were when it was made. */
  config: string;
  /** JSON: addresses. */
  urls: string;
  deployTarget: DeployTarget;
  serverId: string | null;
  /** The replica that alone has what it needs (an upload, a release folder); null when any can run it. */
  machine: string | null;
  rollbackOf: string | null;
  redeployOf: string | null;
  /** The deployment whose built folder or image this one runs. */
  artifactId: string;
  /** Whether that folder or image is still there. */
  artifactKept: number;
  /** Our name for the image, and its id in the engine; null for what is no image. */
  image: string | null;
  imageDigest: string | null;
  /** Sealed JSON: what several services are made of; null for an app. */
  stack: string | null;
  /** JSON: where each of the services stands; null for an app. */
  services: string | null;
  /** JSON: {code, step, message, hint}. */
  error: string | null;
  /** JSON: the open question. */
  prompt: string | null;
  /** JSON: the answer to it. */
  promptAnswer: string | null;
  /** Queued, but waits to be started by a request. */
  held: number;
  /** From the switch-over on it can no longer be cancelled. */
  switching: number;
  cancelRequestedAt: number | null;
  createdBy: string;
  createdAt: number;
  startedAt: number | null;
  buildStartedAt: number | null;
  buildFinishedAt: number | null;
  finishedAt: number | null;
  lastSeq: number;
  /** Raised by each worker that takes over; older ones can no longer write. */
  fence: number;
  leaseOwner: string | null;
  leaseUntil: number | null;
  /** In a cloud: bytes of memory, and thousandths of a processor, that its containers may use. */
  reservedMemory: number;
  reservedCpu: number;
}

/** Two areas read the addresses, so their reader is here. */
const readUrls = storedJson('deployments.urls', z.array(z.string()));
export const urlsIn = ({ urls }: Pick<DeploymentTable, 'urls'>): string[] => readUrls(urls);

export interface DeploymentStepTable {
  deploymentId: string;
  position: number;
  name: string;
  status: StepStatus;
  attempt: number;
  /** The process that runs it; null after one that has let go of it in order. */
  process: string | null;
  /** How often a process ended uncleanly while it ran. */
  crashes: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** JSON: what the step found, for the steps after it. */
  result: string | null;
}

export interface DeploymentEventTable {
  deploymentId: string;
  seq: number;
  at: number;
  type: string;
  /** JSON. */
  data: string;
}
