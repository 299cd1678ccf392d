import type { SourceLine, ComposeProblem } from './problems.ts';
import type { ComposeService, PathInSource } from './service.ts';

/** What a compose file, or the services of a request, ask for: everything filled in, merged and checked. It is plain data
 * and survives JSON. Only services of active profiles are in it. */
export interface ComposeProject {
  name: string;
  services: ComposeService[];
  volumes: ComposeVolume[];
  networks: ComposeNetwork[];
  configs: ComposeFile[];
  secrets: ComposeFile[];
  /** What is written there and not carried out. */
  warnings: ComposeProblem[];
}

/** A named volume. Its own name is made by whoever creates it; one that is external has its name from outside. */
export interface ComposeVolume {
  name: string;
  externalName: string | null;
  driver: string | null;
  driverOptions: Record<string, string>;
  labels: Record<string, string>;
  /** Added by the project's settings, and not by the file. */
  isOfProject?: true;
  at: SourceLine;
}

/** A network of the project; `default` is the one of services that name none. */
export interface ComposeNetwork {
  name: string;
  externalName: string | null;
  driver: string | null;
  isInternal: boolean;
  labels: Record<string, string>;
  at: SourceLine;
}

/** What a config or a secret holds: a file of the source, or a text. */
export interface ComposeFile {
  name: string;
  file: PathInSource | null;
  content: string | null;
  at: SourceLine;
}
