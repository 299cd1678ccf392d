import { z } from '../../../lib/zod/index.ts';
import type { ServiceEntry } from '../../../compose/index.ts';
import { type DeploymentStatus as Status, deploymentStatuses as statuses } from '../../../db/tables/deployments.ts';
import { StoredEndpoints } from '../../projects/port.ts';

/** Vocabulary of deployments, shared by this area. */
export { type Status, statuses };

export const finishedStatuses: readonly Status[] = ['ready', 'failed', 'cancelled', 'rejected'];
export const isFinished = (status: Status): boolean => finishedStatuses.includes(status);

/** Source of the code of one deployment. */
export const DeploymentSource = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('git'),
    url: z.string(),
    branch: z.string().nullable(),
    commitSha: z.string().nullable(),
  }),
  /** A repository of the git host, fetched with a credential of the organization's connection. */
  z.object({
    type: z.literal('githost'),
    owner: z.string(),
    repo: z.string(),
    /** The git host's id of the repository, if known: a name may later refer to another repository. */
    repositoryId: z.number().nullable(),
    branch: z.string().nullable(),
    commitSha: z.string().nullable(),
  }),
  /** `isShared`: the archive is in the database, not on the disk of one replica. The queue looks for it in SQL. */
  z.object({ type: z.literal('upload'), uploadId: z.string(), isShared: z.boolean().optional() }),
  z.object({ type: z.literal('local'), path: z.string() }),
  /** Nothing to fetch: all services use ready-made images. */
  z.object({ type: z.literal('services') }),
]);
export type DeploymentSource = z.infer<typeof DeploymentSource>;
export type GitHostSource = Extract<DeploymentSource, { type: 'githost' }>;

/** Whether the source has branches and commits. */
export const isFromGit = (source: DeploymentSource): source is Extract<DeploymentSource, { commitSha: unknown }> =>
  source.type === 'git' || source.type === 'githost';

/** `extra`: set by the request instead of the project. */
const Variable = z.object({
  key: z.string(),
  value: z.string(),
  secret: z.boolean(),
  buildTime: z.boolean(),
  extra: z.boolean().optional(),
});
export type DeploymentVariable = z.infer<typeof Variable>;

/** `compose/` validates the other fields when the deployment is created. */
const StoredEntry = z.object({ name: z.string() }) as z.ZodType as z.ZodType<ServiceEntry, ServiceEntry>;

/** Settings and variables at the time the deployment was created; sealed in its row. */
export const DeploymentConfig = z.object({
  slug: z.string(),
  rootDirectory: z.string(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  startCommand: z.string().nullable(),
  outputDirectory: z.string().nullable(),
  releaseCommand: z.string().nullable(),
  requireApproval: z.boolean(),
  rollbackWindow: z.number(),
  healthCheck: z.object({
    type: z.enum(['http', 'tcp']),
    path: z.string().nullable(),
    timeoutSeconds: z.number().nullable(),
  }),
  memoryBytes: z.number().nullable(),
  cpus: z.number().nullable(),
  /** The port it listens on inside a container; null: taken from its Dockerfile or its files. */
  port: z.number().nullable(),
  /** The port that this deployment's request sets. */
  askedPort: z.number().nullish(),
  /** Makes everything but `/tmp` read-only in the container; null counts as false. */
  readOnly: z.boolean().nullable(),
  variables: z.array(Variable),
  /** Services of the request; undefined if the source defines them. */
  services: z.array(StoredEntry).optional(),
  /** Services keep their running images unless the files that those are built from have changed. */
  reuseImages: z.literal(true).optional(),
  /** Builds on Mooring's machine and transfers the image to the server. */
  buildStrategy: z.literal('local').optional(),
  /** Labels that the build worker must have. */
  buildLabels: z.array(z.string()).optional(),
  /** Platforms to build for, besides those of the machines that run it. */
  buildPlatforms: z.array(z.string()).optional(),
  /** The project's compose document, used if neither the request nor the source defines services. */
  document: z.string().optional(),
  /** Whether the instance owner lets it access the machine. A rollback uses today's value. */
  trusted: z.boolean().optional(),
  /** Public services and their ports: from the request, or else from the project. */
  publicEndpoints: StoredEndpoints.optional(),
  /** The endpoints that this deployment's request sets. */
  askedEndpoints: StoredEndpoints.optional(),
});
export type DeploymentConfig = z.infer<typeof DeploymentConfig>;

/** Location that seals a deployment's settings. */
export const configSealLocation = (row: string) => ({ table: 'deployments', column: 'config', row });

export const DeploymentFailure = z.object({
  code: z.string(),
  step: z.string().nullable(),
  message: z.string(),
  hint: z.string().nullable(),
  /** Output lines around the one that explains the failure. */
  excerpt: z.array(z.string()).optional(),
});
export type DeploymentFailure = z.infer<typeof DeploymentFailure>;

export const DeploymentPrompt = z.object({
  id: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  byDefault: z.string(),
  expiresAt: z.number(),
});
export type DeploymentPrompt = z.infer<typeof DeploymentPrompt>;

/** Failure of a step, worded for the person who deploys. */
export class StepError extends Error {
  override name = 'StepError';
  readonly code: string;
  readonly hint: string | null;
  readonly excerpt: string[];

  constructor(code: string, message: string, hint: string | null = null, excerpt: string[] = []) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.excerpt = excerpt;
  }
}

/** The edge's key for an environment of a project. */
export const edgeKey = ({ projectId, environment }: { projectId: string; environment: string }) =>
  `${projectId}/${environment}`;
