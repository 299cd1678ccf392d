import { z } from '../../lib/zod/index.ts';
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

/** Decision about a deployment of which only some services came up. */
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

/** A task that a replica must finish. */
export interface BackgroundTaskTable {
  /** Id of the deployment or project being deleted, or an id of its own. */
  id: string;
  kind: string;
  /** The replica that runs it. */
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
  /** JSON: the requested source (git url and ref, upload, path). */
  source: string;
  /** Sealed JSON: settings and variables at creation. */
  config: string;
  /** JSON: URLs. */
  urls: string;
  deployTarget: DeployTarget;
  serverId: string | null;
  /** The only replica that has the required files (an upload, a release folder); null when any can run it. */
  machine: string | null;
  rollbackOf: string | null;
  redeployOf: string | null;
  /** The deployment whose built folder or image this one runs. */
  artifactId: string;
  /** Whether that folder or image still exists. */
  artifactKept: number;
  /** Our name of the image, and its id in the engine; null without an image. */
  image: string | null;
  imageDigest: string | null;
  /** Sealed JSON: definition of a stack's services; null for an app. */
  stack: string | null;
  /** JSON: status of each service; null for an app. */
  services: string | null;
  /** JSON: {code, step, message, hint}. */
  error: string | null;
  /** JSON: the open prompt. */
  prompt: string | null;
  /** JSON: the answer to it. */
  promptAnswer: string | null;
  /** Queued, but waits for a start request. */
  held: number;
  /** After the switch-over has begun it cannot be cancelled. */
  switching: number;
  cancelRequestedAt: number | null;
  createdBy: string;
  createdAt: number;
  startedAt: number | null;
  buildStartedAt: number | null;
  buildFinishedAt: number | null;
  finishedAt: number | null;
  lastSeq: number;
  /** Incremented by each worker that takes over; older ones can no longer write. */
  fence: number;
  leaseOwner: string | null;
  leaseUntil: number | null;
  /** In a cloud: bytes of memory and CPU millicores that its containers may use. */
  reservedMemory: number;
  reservedCpu: number;
}

/** Here because two areas read the URLs. */
const readUrls = storedJson('deployments.urls', z.array(z.string()));
export const urlsIn = ({ urls }: Pick<DeploymentTable, 'urls'>): string[] => readUrls(urls);

export interface DeploymentStepTable {
  deploymentId: string;
  position: number;
  name: string;
  status: StepStatus;
  attempt: number;
  /** The process that runs it; null after one that released it in order. */
  process: string | null;
  /** Number of crashes while it ran. */
  crashes: number;
  startedAt: number | null;
  finishedAt: number | null;
  /** JSON: the step's result, for later steps. */
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
