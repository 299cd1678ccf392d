import type { DatabaseKind, Db } from '../../../db/database.ts';
import type { EventLog } from '../../../events/event-log.ts';
import type { Log } from '../../../lib/log.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { OrganizationLimits } from '../../../config.ts';
import type { Detection } from '../../../detect/detect.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import type { Host } from '../../../drivers/host/host.ts';
import type { ProcessIsolation } from '../../../drivers/host/isolation.ts';
import type { OpenPort } from '../../../drivers/host/open-port.ts';
import type { AppUser } from '../../../drivers/host/sandbox.ts';
import type { Images, RegistryCredential } from '../../../drivers/images/images.ts';
import type { EngineDisk } from '../../../drivers/runtime/docker/engine/disk.ts';
import type { OriginalContainers } from '../../../drivers/runtime/docker/originals/originals.ts';
import type { RunOnce, Runtime, ServiceRuntime } from '../../../drivers/runtime/runtime.ts';
import type { GitCredential } from '../../../lib/git/credential.ts';
import type { Reach } from '../../../lib/outbound.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { ReleaseNames } from '../../domains/port.ts';
import type { GitHostSource } from './model.ts';
import type { Contents } from './contents.ts';

/** What a container engine makes. */
export interface ContainerParts {
  images: Images;
  runOnce: RunOnce;
  /** Several services that find each other. */
  services: ServiceRuntime;
  /** Containers that were there before us. */
  originals: OriginalContainers;
  /** On a server: removes copies of files of sources that nothing needs there any more, and gives their names. */
  removeUnusedFiles?(): Promise<string[]>;
  /** Where it keeps everything; undefined when that is not a disk of this machine. */
  disk: () => Promise<EngineDisk | undefined>;
}

/** What git fetches a repository with. */
export interface RepositoryAccess {
  url: string;
  credential: GitCredential;
  /** Makes the credential worthless. */
  end(): Promise<void>;
}

/** Everything outside the database that a deployment touches. */
export interface Parts {
  instanceId: string;
  /** The server that all of this is on; null for this machine. */
  server: { id: string; name: string } | null;
  host: Host;
  runtime: Runtime;
  /** There where releases run as containers. */
  containers?: ContainerParts;
  edge: Edge;
  /** How what runs is asked whether it works. */
  openPort: OpenPort;
  /** Names of the users' own that releases answer under. */
  names: Pick<ReleaseNames, 'of' | 'all'>;
  folders: Folders;
  /** Files of sources that containers see. */
  contents: Contents;
  mode: 'self-hosted' | 'cloud';
  /** Where people may have us fetch from; `private` where it is not said. */
  reach?: Reach;
  /** What an organization may have of this machine; undefined where it is theirs. */
  limits?: OrganizationLimits | undefined;
  detect(folder: string, rootDirectory: string): Promise<Detection>;
  /** The folder of a local source with links followed, if this user may have it deployed. */
  resolveLocal(path: string, userId: string): Promise<string>;
  /** The key that the project reads its repository with over ssh, if it has one. */
  deployKeyOf(organizationId: string, projectId: string): Promise<string | undefined>;
  /** A way to fetch a repository of the git host, as the organization sees it now. Fails with a GitHostError. */
  accessRepository(organizationId: string, source: GitHostSource, signal: AbortSignal): Promise<RepositoryAccess>;
  registryLoginsOf(organizationId: string): Promise<RegistryCredential[]>;
  extractUpload(uploadId: string, folder: string): Promise<void>;
  /** How processes of projects are kept apart on this machine. */
  isolation: ProcessIsolation;
  /** The numeric user that builds and runs a project; null where the service may not choose one. Fails with a StepError. */
  userOf(projectId: string): Promise<AppUser | null>;
  /** What builds get of the service's environment: where programs are and how the network is reached. */
  buildEnvironment: Record<string, string>;
  baseDomain: string;
  /** What cached steps of builds may need in the engine. */
  buildCacheBytes: number;
  timeouts: { buildMs: number; startMs: number; promptMs: number; engineMs: number };
}

/** Where things are kept under the data folder. */
export class Folders {
  readonly dataDir: string;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  release = (artifactId: string): string => join(this.dataDir, 'releases', artifactId);
  /** Survives deployments: what tools keep for a project, caches included that cannot be shared. */
  home = (projectId: string): string => join(this.dataDir, 'homes', projectId);
  homes = (): string => join(this.dataDir, 'homes');
  /** Packages that the projects of an organization share. */
  packages = (organizationId: string): string => join(this.allPackages(), organizationId);
  allPackages = (): string => join(this.dataDir, 'packages');
  /** What apps as processes keep, by project and environment. */
  volumes = (projectId: string): string => join(this.dataDir, 'volumes', projectId);
  volume = (projectId: string, environment: string, name: string): string =>
    join(this.volumes(projectId), environment, name);
  /** There when the data of the volume is in the container engine of this machine. Names of volumes do not begin with a dot. */
  volumeInEngine = (projectId: string, environment: string, name: string): string =>
    join(this.volumes(projectId), environment, '.in-engine', name);
  /** There while the volume in the container engine is a draft: no release has served with it yet. */
  volumeDraft = (projectId: string, environment: string, name: string): string =>
    join(this.volumes(projectId), environment, '.draft', name);
  /** Hosts of repositories that were seen before, by project. */
  knownHosts = (projectId: string): string => join(this.dataDir, 'known-hosts', projectId);
  /** While it is copied out of an image. */
  unfinishedSite = (artifactId: string): string => join(this.dataDir, 'tmp', `site-${artifactId}`);
  temporary = (): string => join(this.dataDir, 'tmp');
  /** Gone in one moment, whatever comes between: what is half removed must not look like a release. */
  async remove(artifactId: string): Promise<void> {
    const folder = this.release(artifactId);
    const aside = `${folder}.removed`;
    await removeTree(aside);
    await rename(folder, aside).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    await removeTree(aside);
    await removeTree(this.unfinishedSite(artifactId));
  }
  all = (): string => join(this.dataDir, 'releases');
}

/** What a worker needs to run deployments. */
export type RunnerParts = {
  db: Db;
  kind: DatabaseKind;
  events: EventLog;
  sealer: Sealer;
  parts: Parts;
  log: Log;
  /** Of this start of the service. */
  processId: string;
};
