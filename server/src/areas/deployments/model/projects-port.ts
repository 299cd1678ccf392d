import type { Sql, Trx } from '../../../db/database.ts';
import type { DeployTarget } from '../../../db/tables.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Action } from '../../../http/permission.ts';
import type { AuditActor } from '../../access/port.ts';
import type { DeploymentDomains } from '../../domains/port.ts';
import type { ProjectSettings } from '../../projects/port.ts';
import type { DeploymentSource, Variable } from './model.ts';

/** A project as a deployment needs it. */
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
    /** Where it listens inside of a container. */
    port: number | null;
    readOnly: boolean | null;
    publicEndpoints: ProjectSettings['publicEndpoints'];
    replicas: number;
    scale: ProjectSettings['scale'];
  };
  rollbackWindow: number;
  requireApproval: boolean;
  /** The owner of the instance lets it reach the machine. */
  trusted: boolean;
  /** A compose document: what it is made of, where nothing else says that. */
  document: string | null;
  /** The server that it is deployed to; null for this machine. */
  serverId: string | null;
  /** It lives in a hosted cloud, which deploys it. */
  isInCloud: boolean;
}

/** A project that the service itself looks at. */
export type OwnProject = DeployableProject & { autoDeploy: boolean };

/** What is to be released, as far as names are concerned. */
export type NewRelease = {
  environment: string;
  endpoints: ProjectSettings['publicEndpoints'];
  /** Where it will be; null for this machine. */
  serverId: string | null;
  actor: AuditActor;
  asked: DeploymentDomains['asked'];
  mayAddDomains: boolean;
};

/** What this area asks of the one that owns projects. */
export interface ProjectsPort {
  /** The project, or a 404 for a foreign id or one that the caller may not do this to. */
  find(caller: Caller, id: string, action: Action): Promise<DeployableProject>;
  /** The project, if it is there, for what nobody but the service itself does. */
  own(sql: Sql, organizationId: string, id: string): Promise<OwnProject | undefined>;
  /** The ids that lists are narrowed to. */
  visible(caller: Caller, action: Action): 'all' | string[];
  mayOn(caller: Caller, projectId: string, action: Action): boolean;
  sees(caller: Caller, projectId: string): boolean;
  variables(sql: Sql, projectId: string): Promise<Variable[]>;
  /** The project as it is now. Nobody changes or deletes it for the rest of the transaction. */
  hold(trx: Trx, project: DeployableProject): Promise<DeployableProject>;
  /** How many replicas there are to be, of its app or of one of its services. */
  scale(trx: Trx, project: DeployableProject, service: string | null, replicas: number): Promise<void>;
  /** Binds an upload that the caller may use to the project for good; gives where it wants to be deployed, and which replica has it. */
  claimUpload(
    sql: Sql,
    caller: Caller,
    uploadId: string,
    projectId: string,
  ): Promise<{ mode: DeployTarget; serverId: string | null; machine: string | null }>;
  /** A server that the caller may deploy to: 403 without the permission, 404 for a foreign one. Null when it is this machine. */
  serverFor(sql: Sql, caller: Caller, serverId: string): Promise<string | null>;
  /** From here on the project lives there. */
  moveTo(trx: Trx, project: DeployableProject, serverId: string | null): Promise<void>;
  /** Holds the project against its removal and takes the names that the environment will answer under. One that somebody else has is
   * a conflict where it is asked for now; else the release goes without it. */
  prepareRelease(trx: Trx, project: DeployableProject, release: NewRelease): Promise<void>;
}

/** The source of a project as a deployment fetches it; undefined where an upload brings it. */
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
