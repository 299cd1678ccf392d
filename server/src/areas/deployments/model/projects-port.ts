import type { Sql, Trx } from '../../../db/database.ts';
import type { DeployTarget } from '../../../db/tables.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import type { AuditActor } from '../../access/port.ts';
import type { DeploymentDomains } from '../../domains/port.ts';
import type { ProjectSettings } from '../../projects/port.ts';
import type { DeploymentSource, DeploymentVariable } from './model.ts';

export interface DeployableProject {
  id: string;
  organizationId: string;
  slug: string;
  number: number;
  source: {
    type: string;
    url?: string | undefined;
    owner?: string | undefined;
    repo?: string | undefined;
    repositoryId?: number | null;
    branch?: string | null | undefined;
    path?: string | undefined;
  };
  settings: {
    rootDirectory: string | null;
    installCommand: string | null;
    buildCommand: string | null;
    startCommand: string | null;
    outputDirectory: string | null;
    releaseCommand: string | null;
    healthCheck: { type: 'http' | 'tcp'; path: string | null; timeoutSeconds: number | null };
    memoryBytes: number | null;
    cpus: number | null;
    /** The port it listens on inside a container. */
    port: number | null;
    readOnly: boolean | null;
    publicEndpoints: ProjectSettings['publicEndpoints'];
    replicas: number;
    scale: ProjectSettings['scale'];
    buildLabels: string[];
    buildPlatforms: string[];
  };
  rollbackWindow: number;
  requireApproval: boolean;
  /** Whether the instance owner lets it access the machine. */
  trusted: boolean;
  /** A compose document, used if neither the request nor the source defines services. */
  document: string | null;
  /** The server it deploys to; null for this machine. */
  serverId: string | null;
  /** It belongs to a hosted cloud, which deploys it. */
  isInCloud: boolean;
}

/** A project as the service itself reads it, without a caller. */
export type OwnProject = DeployableProject & { autoDeploy: boolean };

/** The parts of a new release that decide its domains. */
export type NewRelease = {
  environment: string;
  endpoints: ProjectSettings['publicEndpoints'];
  /** The target server; null for this machine. */
  serverId: string | null;
  actor: AuditActor;
  asked: DeploymentDomains['asked'];
  mayAddDomains: boolean;
};

/** Operations that this area needs from the projects area. */
export interface ProjectsPort {
  /** Returns the project; 404 for a foreign id, or if the caller lacks the permission. */
  find(caller: Caller, id: string, action: Action): Promise<DeployableProject>;
  /** Returns the project, if it exists, for work that has no caller. */
  own(sql: Sql, organizationId: string, id: string): Promise<OwnProject | undefined>;
  /** Project ids that lists are restricted to. */
  visible(caller: Caller, action: Action): 'all' | string[];
  mayOn(caller: Caller, projectId: string, action: Action): boolean;
  sees(caller: Caller, projectId: string): boolean;
  variables(sql: Sql, projectId: string): Promise<DeploymentVariable[]>;
  /** Returns the current project and locks it against changes and deletion for the rest of the transaction. */
  hold(trx: Trx, project: DeployableProject): Promise<DeployableProject>;
  /** Sets the number of replicas of the app or of one service. */
  scale(trx: Trx, project: DeployableProject, service: string | null, replicas: number): Promise<void>;
  /** Binds an upload of the caller to the project for good. Returns its target, and who can read it. */
  claimUpload(
    sql: Sql,
    caller: Caller,
    uploadId: string,
    projectId: string,
  ): Promise<{ mode: DeployTarget; serverId: string | null; machine: string | null; isShared: boolean }>;
  /**
   * Checks that the caller may deploy to a server: 403 without the permission, 404 for a foreign one. Null is this
   * machine.
   */
  serverFor(sql: Sql, caller: Caller, serverId: string): Promise<string | null>;
  moveTo(trx: Trx, project: DeployableProject, serverId: string | null): Promise<void>;
  /**
   * Locks the project against removal and claims the environment's domains. A domain that is taken is a conflict if
   * this request asks for it; otherwise the release goes without it.
   */
  prepareRelease(trx: Trx, project: DeployableProject, release: NewRelease): Promise<void>;
}

/** Returns the source that a deployment of the project fetches; undefined if it comes from an upload. */
export function fetchableSource(
  { source }: DeployableProject,
  branch: string | undefined,
  commitSha: string | undefined,
): DeploymentSource | undefined {
  if (source.type === 'git')
    return { type: 'git', url: source.url!, branch: branch ?? source.branch ?? null, commitSha: commitSha ?? null };
  if (source.type === 'githost') {
    const { owner = '', repo = '', repositoryId = null } = source;
    const ref = { branch: branch ?? source.branch ?? null, commitSha: commitSha ?? null };
    return { type: 'githost', owner, repo, repositoryId, ...ref };
  }
  if (source.type === 'local') return { type: 'local', path: source.path! };
  if (source.type === 'services') return { type: 'services' };
  return undefined;
}
