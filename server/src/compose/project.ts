import type { SourceLine, ComposeProblem } from './problems.ts';
import type { ComposeService, PathInSource } from './service.ts';

/**
 * A parsed project: interpolated, merged and validated. Plain data that survives JSON, with services of active
 * profiles only.
 */
export interface ComposeProject {
  name: string;
  services: ComposeService[];
  volumes: ComposeVolume[];
  networks: ComposeNetwork[];
  configs: ComposeFile[];
  secrets: ComposeFile[];
  /** Fields that are ignored. */
  warnings: ComposeProblem[];
}

/** A named volume. External volumes keep their name; others are named on creation. */
export interface ComposeVolume {
  name: string;
  externalName: string | null;
  driver: string | null;
  driverOptions: Record<string, string>;
  labels: Record<string, string>;
  /** Added by the project settings, not by the file. */
  isOfProject?: true;
  at: SourceLine;
}

/** A network; `default` is for services that name none. */
export interface ComposeNetwork {
  name: string;
  externalName: string | null;
  driver: string | null;
  isInternal: boolean;
  labels: Record<string, string>;
  /** Missing if the engine chooses one. */
  subnet?: ComposeSubnet;
  at: SourceLine;
}

/** The IPv4 addresses of a network: `10.1.0.0/24`. */
export interface ComposeSubnet {
  subnet: string;
  gateway: string | null;
  /** The part that the engine assigns addresses from; null for all. */
  range: string | null;
  at: SourceLine;
}

/** Content of a config or secret: a file of the source, or text. */
export interface ComposeFile {
  name: string;
  file: PathInSource | null;
  content: string | null;
  at: SourceLine;
}
