import { z } from 'zod';
import type { ServiceEntry } from '../../../compose/index.ts';
import { type DeploymentStatus as Status, deploymentStatuses as statuses } from '../../../db/tables/deployments.ts';
import { StoredEndpoints } from '../../projects/port.ts';

/** The words of a deployment, used by everything in this area. */
export { type Status, statuses };

export const finished: readonly Status[] = ['ready', 'failed', 'cancelled', 'rejected'];
export const isFinished = (status: Status): boolean => finished.includes(status);

/** Where the code of one deployment comes from. */
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
    /** The host's number of it, where it is known: a name may come to mean another repository. */
    repositoryId: z.number().nullable(),
    branch: z.string().nullable(),
    commitSha: z.string().nullable(),
  }),
  z.object({ type: z.literal('upload'), uploadId: z.string() }),
  z.object({ type: z.literal('local'), path: z.string() }),
  /** Nothing to fetch: services of images alone. */
  z.object({ type: z.literal('services') }),
]);
export type DeploymentSource = z.infer<typeof DeploymentSource>;
export type GitHostSource = Extract<DeploymentSource, { type: 'githost' }>;

/** Whether it has branches and commits. */
export const isFromGit = (source: DeploymentSource): source is Extract<DeploymentSource, { commitSha: unknown }> =>
  source.type === 'git' || source.type === 'githost';

/** `extra`: not the project's, but added by the request. */
const Variable = z.object({
  key: z.string(),
  value: z.string(),
  secret: z.boolean(),
  buildTime: z.boolean(),
  extra: z.boolean().optional(),
});
export type Variable = z.infer<typeof Variable>;

/** Whatever else an entry has is checked by `compose/` when the deployment is made. */
const StoredEntry = z.object({ name: z.string() }) as z.ZodType as z.ZodType<ServiceEntry, ServiceEntry>;

/** Settings and variables as they were when the deployment was made; sealed in its row. */
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
  /** Where it listens inside of a container; null: as its Dockerfile or its files say. */
  port: z.number().nullable(),
  /** The same, of this deployment's request. */
  askedPort: z.number().nullish(),
  /** Nothing but `/tmp` can be written to in its container; null: as it seems to be able to. */
  readOnly: z.boolean().nullable(),
  variables: z.array(Variable),
  /** Services of the request; undefined where the source says what it is made of. */
  services: z.array(StoredEntry).optional(),
  /** Services keep the images that run, as far as nothing that those are built from has changed. */
  reuseImages: z.literal(true).optional(),
  /** It is built on the machine of the service and taken to its server. */
  buildStrategy: z.literal('local').optional(),
  /** A compose document that the project was made with, where neither a request nor a source says what it is made of. */
  document: z.string().optional(),
  /** Whether the owner of the instance lets it reach the machine; it is so of today, also for a rollback. */
  trusted: z.boolean().optional(),
  /** Which services are reached, and on which port: of the request, else of the project. */
  publicEndpoints: StoredEndpoints.optional(),
  /** The same, of this deployment's request alone. */
  askedEndpoints: StoredEndpoints.optional(),
});
export type DeploymentConfig = z.infer<typeof DeploymentConfig>;

/** Where the sealed settings of a deployment are. */
export const configSealLocation = (row: string) => ({ table: 'deployments', column: 'config', row });

export const DeploymentFailure = z.object({
  code: z.string(),
  step: z.string().nullable(),
  message: z.string(),
  hint: z.string().nullable(),
  /** Lines of output around the one that explains it. */
  excerpt: z.array(z.string()).optional(),
});
export type DeploymentFailure = z.infer<typeof DeploymentFailure>;

export const Prompt = z.object({
  id: z.string(),
  question: z.string(),
  options: z.array(z.string()),
  byDefault: z.string(),
  expiresAt: z.number(),
});
export type Prompt = z.infer<typeof Prompt>;

/** A step that could not do its work, in words for the person who deploys. */
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

export class CancelledError extends Error {
  override name = 'CancelledError';
}

export class StoppingError extends Error {
  override name = 'StoppingError';
}

/** The name that the edge knows an environment of a project by. */
export const edgeKey = ({ projectId, environment }: { projectId: string; environment: string }) =>
  `${projectId}/${environment}`;
