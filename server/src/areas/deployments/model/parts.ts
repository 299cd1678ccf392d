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
import type { Images, PushTarget, RegistryCredential } from '../../../drivers/images/images.ts';
import type { EngineDisk } from '../../../drivers/runtime/docker/engine/disk.ts';
import type { OriginalContainers } from '../../../drivers/runtime/docker/originals/originals.ts';
import type { RunOnce, Runtime, ServiceRuntime } from '../../../drivers/runtime/runtime.ts';
import type { ToolStore } from '../../../drivers/toolchain/tool-store.ts';
import type { GitCredential } from '../../../lib/git/credential.ts';
import type { OutboundReach } from '../../../lib/outbound.ts';
import { removeTree } from '../../../lib/remove-tree.ts';
import type { ReleaseNames } from '../../domains/port.ts';
import type { GitHostSource } from './model.ts';
import type { Contents } from './contents.ts';
import type { StepContext } from './step.ts';

/** The parts of a container engine. */
export interface ContainerParts {
  images: Images;
  runOnce: RunOnce;
  /** Services of one network that find each other by name. */
  services: ServiceRuntime;
  /** Containers that existed before Mooring. */
  originals: OriginalContainers;
  /** On a server: removes copies of source files that are no longer needed there, and returns their names. */
  removeUnusedFiles?(): Promise<string[]>;
  /** Disk of the engine's data; undefined if that is not on this machine. */
  disk: () => Promise<EngineDisk | undefined>;
}

/** URL and credential for fetching a repository. */
export interface RepositoryAccess {
  url: string;
  credential: GitCredential;
  /** Revokes the credential. */
  end(): Promise<void>;
}

/** A repository that a service is built from; `ref` is a branch, tag or commit, null for the default branch. */
export type RepositoryRef = { url: string; ref: string | null };

/** Ports of a machine that its edge listens on. */
export type EdgeListeningPorts = { http: readonly number[]; tls: readonly number[] };

/** Everything outside the database that a deployment touches. */
export interface Parts {
  instanceId: string;
  /** The server that all of this belongs to; null for this machine. */
  server: { id: string; name: string } | null;
  host: Host;
  runtime: Runtime;
  /** Set if releases run as containers. */
  containers?: ContainerParts;
  edge: Edge;
  edgePorts: EdgeListeningPorts;
  /** Returns the home folder of Mooring's user on the machine. */
  homeFolder: () => Promise<string>;
  /** Connects to a port of a release for health checks. */
  openPort: OpenPort;
  /** Custom domains of releases. */
  names: Pick<ReleaseNames, 'of' | 'all'>;
  folders: Folders;
  /** Source files that containers mount. */
  contents: Contents;
  mode: 'self-hosted' | 'cloud';
  /** Networks that users may have us fetch from; `private` by default. */
  reach?: OutboundReach;
  /** Limits of each organization on this machine; undefined if there are none. */
  limits?: OrganizationLimits | undefined;
  detect(folder: string, rootDirectory: string): Promise<Detection>;
  /** Resolves the folder of a local source, links included, if this user may deploy it. */
  resolveLocal(path: string, userId: string): Promise<string>;
  /** The project's ssh deploy key, if it has one. */
  deployKeyOf(organizationId: string, projectId: string): Promise<string | undefined>;
  /** Grants access to a repository with the organization's current permissions. Fails with a GitHostError. */
  accessRepository(organizationId: string, source: GitHostSource, signal: AbortSignal): Promise<RepositoryAccess>;
  /** Fetches a repository that a service is built from into an empty folder. */
  fetchContext: (context: StepContext, folder: string, repository: RepositoryRef) => Promise<void>;
  /** Makes these secret variables of the project unless it has them. Returns their values. */
  keepVariables: (
    deployment: { organizationId: string; projectId: string; createdBy: string },
    values: Record<string, string>,
  ) => Promise<Record<string, string>>;
  /** Registry through which build workers deliver images. */
  registry?: PushTarget | undefined;
  registryLoginsOf(organizationId: string): Promise<RegistryCredential[]>;
  extractUpload(uploadId: string, folder: string): Promise<void>;
  /** How processes of different projects are isolated on this machine. */
  isolation: Promise<ProcessIsolation>;
  /** The uid that builds and runs a project; null if the service cannot switch users. Fails with a StepError. */
  userOf(projectId: string): Promise<AppUser | null>;
  /** Variables that builds inherit from the service: paths of programs and proxy settings. */
  buildEnvironment: Record<string, string>;
  /** Downloaded tools of apps that run without containers. */
  tools: ToolStore;
  baseDomain: string;
  /** Size limit of the engine's build cache. */
  buildCacheBytes: number;
  timeouts: { buildMs: number; startMs: number; promptMs: number; engineMs: number };
}

/** Paths in the data directory. */
export class Folders {
  readonly dataDir: string;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
  }

  release = (artifactId: string): string => join(this.dataDir, 'releases', artifactId);
  /** Kept across deployments: home of the project's tools, with caches that cannot be shared. */
  home = (projectId: string): string => join(this.dataDir, 'homes', projectId);
  homes = (): string => join(this.dataDir, 'homes');
  /** Packages shared by the projects of an organization. */
  packages = (organizationId: string): string => join(this.allPackages(), organizationId);
  allPackages = (): string => join(this.dataDir, 'packages');
  /** Volumes of apps that run as processes, by project and environment. */
  volumes = (projectId: string): string => join(this.dataDir, 'volumes', projectId);
  volume = (projectId: string, environment: string, name: string): string =>
    join(this.volumes(projectId), environment, name);
  /** Exists if the volume's data is in this machine's container engine. Volume names never begin with a dot. */
  volumeInEngine = (projectId: string, environment: string, name: string): string =>
    join(this.volumes(projectId), environment, '.in-engine', name);
  /** Exists while the volume in the container engine is a draft: no release has served with it yet. */
  volumeDraft = (projectId: string, environment: string, name: string): string =>
    join(this.volumes(projectId), environment, '.draft', name);
  /** Known ssh host keys of repositories, by project. */
  knownHosts = (projectId: string): string => join(this.dataDir, 'known-hosts', projectId);
  /** Target while the site is copied out of an image. */
  unfinishedSite = (artifactId: string): string => join(this.dataDir, 'tmp', `site-${artifactId}`);
  temporary = (): string => join(this.dataDir, 'tmp');
  tools = (): string => join(this.dataDir, 'tools');
  /** Renames before removing, so that a crash cannot leave half a folder that looks like a release. */
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

/** Dependencies of a worker that runs deployments. */
export type RunnerParts = {
  db: Db;
  kind: DatabaseKind;
  events: EventLog;
  sealer: Sealer;
  parts: Parts;
  log: Log;
  /** Unique to this start of the service. */
  processId: string;
};
