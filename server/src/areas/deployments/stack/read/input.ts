import type { ContainerLimits } from '../../../../config.ts';
import type { Detection } from '../../../../detect/detect.ts';
import type { FileOwnership } from '../../contents/key.ts';
import type { DeploymentConfig } from '../../model/model.ts';
import type { EdgeListeningPorts, RepositoryRef } from '../../model/parts.ts';
import type { Trust } from '../checks/trust.ts';

/** A source or the services of a request, before it is known whether they form a stack. */
export interface StackInput extends Trust {
  /** The release's folder, which contains the source. */
  folder: string;
  rootDirectory: string;
  found: Detection;
  config: DeploymentConfig;
  /** Bounds of every container in cloud mode. */
  bounds?: ContainerLimits | undefined;
  slug: string;
  hasSource: boolean;
  /** Services of the active release; empty for an app. A change of the compose file must not turn them into an app. */
  activeServices: readonly string[];
  /** Whether a container engine is available. */
  hasContainers: boolean;
  /**
   * Stores the content of a source path and returns its digest; null if there is none. `owned` sets a file's owner.
   */
  digestOf: (path: string, owned?: FileOwnership) => Promise<string | null>;
  /** Stores a text and returns its digest. */
  digestOfText: (text: string, owned?: FileOwnership) => Promise<string>;
  edgePorts: EdgeListeningPorts;
  /** How services are reached; `of` returns the address of a host, or of the primary domain of the project. */
  address: {
    label: string;
    baseDomain: string;
    of: (host: string, isPrimary: boolean) => { host: string; url: string };
  };
  /** Makes these variables of the project unless it has them, and returns their values. */
  keepVariables: (values: Record<string, string>) => Promise<Record<string, string>>;
  /** Gets the values that were generated, which are secret. */
  generated: string[];
  /** Home folder of Mooring's user on the machine. */
  homeFolder: () => Promise<string>;
  /** Fetches a repository that a service is built from into an empty folder. */
  fetchContext: (folder: string, repository: RepositoryRef) => Promise<void>;
  log: (line: string) => void;
}
