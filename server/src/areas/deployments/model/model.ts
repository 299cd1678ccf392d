import type { ServiceEntry } from '../../../compose/index.ts';
import type { ProjectSettings } from '../../projects/port.ts';

/** The words of a deployment, used by everything in this area. */
export const statuses = [
  'queued',
  'building',
  'deploying',
  'ready',
  'failed',
  'cancelled',
  'partial_failure',
  'rejected',
] as const;
export type Status = (typeof statuses)[number];

export const finished: readonly Status[] = ['ready', 'failed', 'cancelled', 'rejected'];
export const isFinished = (status: string): boolean => finished.includes(status as Status);

/** Where the code of one deployment comes from. */
export type DeploymentSource =
  | { type: 'git'; url: string; branch: string | null; commitSha: string | null }
  | GitHostSource
  | { type: 'upload'; uploadId: string }
  | { type: 'local'; path: string }
  /** Nothing to fetch: services of images alone. */
  | { type: 'services' };

/** A repository of the git host, fetched with a credential of the organization's connection. */
export type GitHostSource = {
  type: 'githost';
  owner: string;
  repo: string;
  /** The host's number of it, where it is known: a name may come to mean another repository. */
  repositoryId: number | null;
  branch: string | null;
  commitSha: string | null;
};

/** Whether it has branches and commits. */
export const isFromGit = (source: DeploymentSource): source is Extract<DeploymentSource, { commitSha: unknown }> =>
  source.type === 'git' || source.type === 'githost';

/** `extra`: not the project's, but added by the request. */
export type Variable = { key: string; value: string; secret: boolean; buildTime: boolean; extra?: boolean };

/** Settings and variables as they were when the deployment was made; sealed in its row. */
export interface DeploymentConfig {
  slug: string;
  rootDirectory: string;
  installCommand: string | null;
  buildCommand: string | null;
  startCommand: string | null;
  outputDirectory: string | null;
  releaseCommand: string | null;
  requireApproval: boolean;
  rollbackWindow: number;
  healthCheck: { type: 'http' | 'tcp'; path: string | null; timeoutSeconds: number | null };
  memoryBytes: number | null;
  cpus: number | null;
  /** Where it listens inside of a container; null: as its Dockerfile or its files say. */
  port: number | null;
  /** The same, of this deployment's request. */
  askedPort?: number | null;
  /** Nothing but `/tmp` can be written to in its container; null: as it seems to be able to. */
  readOnly: boolean | null;
  variables: Variable[];
  /** Services of the request; undefined where the source says what it is made of. */
  services?: ServiceEntry[];
  /** Services keep the images that run, as far as nothing that those are built from has changed. */
  reuseImages?: true;
  /** It is built on the machine of the service and taken to its server. */
  buildStrategy?: 'local';
  /** A compose document that the project was made with, where neither a request nor a source says what it is made of. */
  document?: string;
  /** Whether the owner of the instance lets it reach the machine; it is so of today, also for a rollback. */
  trusted?: boolean;
  /** Which services are reached, and on which port: of the request, else of the project. */
  publicEndpoints?: ProjectSettings['publicEndpoints'];
  /** The same, of this deployment's request alone. */
  askedEndpoints?: ProjectSettings['publicEndpoints'];
}

/** Where the sealed settings of a deployment are. */
export const configPlace = (row: string) => ({ table: 'deployments', column: 'config', row });

export type DeploymentFailure = {
  code: string;
  step: string | null;
  message: string;
  hint: string | null;
  /** Lines of output around the one that explains it. */
  excerpt?: string[];
};

export type Prompt = { id: string; question: string; options: string[]; byDefault: string; expiresAt: number };

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
export const edgeKey = ({ project_id, environment }: { project_id: string; environment: string }) =>
  `${project_id}/${environment}`;
