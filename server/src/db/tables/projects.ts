export type DeployTarget = 'local' | 'server' | 'cloud';

/** Projects, their variables and uploaded sources. */
export interface ProjectTables {
  projects: ProjectTable;
  project_variables: ProjectVariableTable;
  uploads: UploadTable;
  host_names: HostNameTable;
  deploy_keys: DeployKeyTable;
  registries: RegistryTable;
  deleted_projects: DeletedProjectTable;
  project_users: ProjectUserTable;
  volumes: VolumeTable;
}

export interface ProjectTable {
  id: string;
  organizationId: string;
  /** Unique in the organization. */
  name: string;
  /** Unique in the instance; the free name is made of it. */
  slug: string;
  /** Small and unique in the instance. */
  number: number;
  /** JSON: where the code comes from. */
  source: string;
  /** JSON: how it is built and started, resources, health check, endpoints: see ProjectSettings. */
  settings: string;
  rollbackWindow: number;
  autoDeploy: number;
  requireApproval: number;
  trusted: number;
  /** Where it is deployed unless a deployment says otherwise; null: here. */
  serverId: string | null;
  /** Sealed JSON, a compose document: what it is made of, where its source does not say that. */
  services: string | null;
  /** `there`: it lives in the cloud, under the same id. `home`: it was brought back, and something may be left there. Null: it was
   * never there. */
  cloudState: 'there' | 'home' | null;
  /** Names a promotion whose outcome is not known: asking again with it does it once. */
  cloudKey: string | null;
  /** Where production answers in the cloud. */
  cloudUrl: string | null;
  /** The cloud that it was taken to, or may have been: its address, and the organization there as far as it is known. */
  cloudAt: string | null;
  /** A promotion is under way, until then at the latest: nothing is deployed here meanwhile. */
  cloudBusyUntil: number | null;
  /** Set while everything of it is removed: nothing new begins. */
  deletingAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface ProjectVariableTable {
  id: string;
  organizationId: string;
  projectId: string;
  key: string;
  /** Sealed, also when it is no secret: one way to store, one way to read. */
  value: string;
  isSecret: number;
  buildTime: number;
  updatedAt: number;
}

/** An upload session, and later the archive that came through it. */
export interface UploadTable {
  id: string;
  organizationId: string;
  projectId: string | null;
  /** Where it is deployed to when the request does not say. */
  mode: DeployTarget;
  serverId: string | null;
  /** The replica that has the archive. */
  machine: string | null;
  hash: string;
  /** `receiving`: somebody sends the archive. `received`: it is here. `used`: a deployment took it. */
  status: 'open' | 'receiving' | 'received' | 'used';
  size: number | null;
  sha256: string | null;
  createdBy: string;
  createdAt: number;
  /** Until then it may be filled, and once filled be used; a used one stays with its project. */
  expiresAt: number;
  /** When a deployment took it last: the oldest go first. */
  usedAt: number | null;
}

/** The key that a project reads its repository with. */
export interface DeployKeyTable {
  id: string;
  organizationId: string;
  projectId: string;
  publicKey: string;
  fingerprint: string;
  /** Sealed. */
  privateKey: string;
  createdAt: number;
}

/** A login at an image registry. */
export interface RegistryTable {
  id: string;
  organizationId: string;
  address: string;
  username: string;
  /** Sealed. */
  password: string;
  createdAt: number;
  updatedAt: number;
}

/** A name under the instance's own domain, and who has it. */
export interface HostNameTable {
  name: string;
  organizationId: string;
  projectId: string;
  environment: string;
}

/** Whose a project was. */
export interface DeletedProjectTable {
  id: string;
  organizationId: string;
  deletedAt: number;
}

/** Which numeric user a project's processes run as. Outlives the project: a user is never given again. */
export interface ProjectUserTable {
  uid: number;
  projectId: string;
}

/** A volume that somebody has added to a project. */
export interface VolumeTable {
  id: string;
  organizationId: string;
  projectId: string;
  environment: string;
  /** Unique in the environment of the project. */
  name: string;
  /** Null: the app, or the only service. */
  service: string | null;
  /** Where it is mounted; relative to the app's folder unless it begins with a slash. */
  path: string;
  /** Two releases may write to it at once. */
  overlap: number;
  /** A volume of the container engine that was there before, if it is that one. */
  engineId: string | null;
  /** When its mount was removed; its data is still there. */
  removedAt: number | null;
  /** Its data goes as soon as nothing uses it. */
  purge: number;
  createdAt: number;
}
