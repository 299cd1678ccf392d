import type { Readable } from 'node:stream';
import type { WrittenEntry } from '../../lib/archive/writer.ts';

/** A container of a service, or the scratch container of a job. */
export type ContainerRef = { deploymentId: string; service: string } | ScratchRef;

/** Scratch containers of a job have different names. */
export interface ScratchRef {
  jobId: string;
  name: string;
}

/** What a container was created with, as the engine knows it. */
export interface ContainerDetails {
  isRunning: boolean;
  /** Including the variables of its image. */
  environment: Record<string, string>;
  /** Entrypoint and command. */
  command: string[];
  volumes: { id: string; path: string }[];
}

export interface VolumeDefinition {
  /** The engine's name. */
  id: string;
  driver: string | null;
  options: Record<string, string>;
  labels: Record<string, string>;
}

export interface ContainerCommand {
  args: string[];
  /** Added to the variables of the container. Secrets go here and never into `args`. */
  env?: Record<string, string>;
  /** Written to its standard input. */
  input?: AsyncIterable<Buffer>;
  /** Receives its standard output; awaited before more is read. */
  onOutput?: (chunk: Buffer) => Promise<void> | void;
  signal: AbortSignal;
}

/** Access to the data of containers, for backups. */
export interface ContainerData {
  /** Undefined if there is no such container of ours. */
  inspect(container: ContainerRef): Promise<ContainerDetails | undefined>;
  /** Runs a program inside a running container. Returns the end of its standard error. */
  exec(container: ContainerRef, command: ContainerCommand): Promise<{ exitCode: number; stderr: string }>;
  /** Returns the last lines that a container, running or not, has printed. */
  output(container: ContainerRef, tail: number): Promise<string[]>;
  /** Returns a path of a container, running or not, as a tar; undefined if it does not exist. */
  readFiles(container: ContainerRef, path: string): Promise<Readable | undefined>;
  /** Extracts entries into an existing folder of a container, running or not. Keeps owners. */
  writeFiles(container: ContainerRef, path: string, entries: AsyncIterable<WrittenEntry>): Promise<void>;
  /** Returns what is needed to create one of our volumes again. */
  volumeDefinition(id: string): Promise<VolumeDefinition | undefined>;
  /** Replaces everything in one of our volumes; the entry `.` is its top folder. Removes stopped containers that use
   * it, which the next start creates again. Throws a VolumeInUseError while one runs. */
  refillVolume(volume: VolumeDefinition, entries: AsyncIterable<WrittenEntry>): Promise<void>;
  /** Starts a container with the image, command and variables of another one, but without networks, ports and
   * volumes, and with limits. Replaces an earlier one of the same name. `files` are extracted into a folder first. */
  startScratch(
    of: { deploymentId: string; service: string },
    scratch: ScratchRef,
    files?: { path: string; entries: AsyncIterable<WrittenEntry> },
  ): Promise<void>;
  /** Removes all scratch containers of a job with their data. */
  removeScratch(jobId: string): Promise<void>;
}
