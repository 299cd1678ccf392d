import type { ComposeProject } from '../../../compose/index.ts';

/** What a deployment of several services is made of; sealed in its row, because variables are filled in. */
export interface Stack {
  project: ComposeProject;
  /** What tells one version of a service from another, by its name: how it is built, from which files, and how it runs. The
   * image of a name at a registry is not in it. */
  digests: Record<string, string>;
  /** Files and folders of the source that containers see (binds, configs, secrets), by their path in the source. Each is kept
   * as it was under the digest of its content; null for a path that the source does not have. */
  contents: Record<string, string | null>;
  /** Values that are hidden wherever something is written down. */
  secrets: string[];
}

/** An image of a service, ready to be started. */
export interface ServiceImage {
  /** What a person calls it. */
  image: string;
  imageId: string;
  /** Whether we have built it, and so may remove it. */
  isOwn: boolean;
  bytes: number;
  /** TCP ports that it says it listens on, smallest first. */
  ports: number[];
  /** Paths that it declares as volumes. */
  volumes: string[];
  hasHealthcheck: boolean;
  /** Where it listens, for an app that we wrote the Dockerfile of. */
  port: number | null;
}

export const changes = ['unchanged', 'create', 'replace', 'remove'] as const;
export type Change = (typeof changes)[number];

export const serviceStatuses = [
  /** Nothing has happened to it yet. */
  'waiting',
  'building',
  'starting',
  'checking',
  /** It serves, in the version of this deployment. */
  'ready',
  /** It serves as before; nothing was to be done. */
  'unchanged',
  /** It ran to its end, as it should. */
  'completed',
  'failed',
  /** Not even tried, because something that it needs has failed. */
  'skipped',
  'removed',
  /** It was changed and went back to how it was. */
  'rolled_back',
] as const;
export type ServiceStatus = (typeof serviceStatuses)[number];
