import { z } from '../../lib/zod/index.ts';
import { storedJson } from '../stored-json.ts';

/** Machines that build, and the builds that wait for them. */
export interface WorkerTables {
  workers: WorkerTable;
  builds: BuildTable;
  build_lines: BuildLinesTable;
  build_chunks: BuildChunkTable;
}

export interface WorkerTable {
  id: string;
  name: string;
  /** JSON: such as `["linux/arm64"]`. */
  platforms: string;
  /** JSON: such as `["gpu", "team=web"]`. */
  labels: string;
  version: string;
  /** By the database's clock. */
  seenAt: number;
}

/** An image that a worker builds or will build. It is removed when its deployment has the result. */
export interface BuildTable {
  id: string;
  deploymentId: string;
  /** Of the deployment's lease: a build of an earlier one is abandoned. */
  fence: number;
  service: string;
  platform: string;
  /** JSON: labels that the worker must have. */
  labels: string;
  /** Sealed JSON */
  request: string;
  /** The files, in `build_chunks`; shared by the platforms of an image. */
  contextId: string;
  /** Grows with each worker that claims it, which fences off the previous one. */
  attempt: number;
  /** How many of these workers gave it back, because they were stopped. */
  returned: number;
  /** Id of the worker. */
  leaseOwner: string | null;
  leaseUntil: number | null;
  /** Sealed JSON */
  result: string | null;
}

/** Lines that a build printed and its deployment has not read yet. */
export interface BuildLinesTable {
  id: string;
  buildId: string;
  number: number;
  /** Sealed JSON: secrets are redacted when the deployment reads them. */
  lines: string;
}

export interface BuildChunkTable {
  contextId: string;
  deploymentId: string;
  number: number;
  bytes: Buffer;
}

const words = z.array(z.string());
export const workerPlatforms = storedJson('workers.platforms', words);
export const workerLabels = storedJson('workers.labels', words);
