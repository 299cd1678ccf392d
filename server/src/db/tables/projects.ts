export type DeployTarget = 'local' | 'server' | 'cloud';

/** Projects, their variables and uploaded sources. */
export interface ProjectTables {
  projects: ProjectTable;
  project_variables: ProjectVariableTable;
  uploads: UploadTable;
  upload_chunks: UploadChunkTable;
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
  /** Unique in the instance; the default host name derives from it. */
  slug: string;
  /** Small and unique in the instance. */
  number: number;
  /** JSON: source of the code. */
  source: string;
  /** JSON: build and start, resources, health check, endpoints; see ProjectSettings. */
  settings: string;
  rollbackWindow: number;
  autoDeploy: number;
  requireApproval: number;
  trusted: number;
  /** Default server of deployments; null: this machine. */
  serverId: string | null;
  /** Sealed JSON, a compose document: its services, if its source does not define them. */
  services: string | null;
  /** `there`: it lives in the cloud under the same id. `home`: it was brought back, with possible leftovers there.
   * Null: it was never there. */
  cloudState: 'there' | 'home' | null;
  /** Idempotency key of a promotion with an unknown outcome. */
  cloudKey: string | null;
  /** URL of production in the cloud. */
  cloudUrl: string | null;
  /** The cloud that it was or may have been promoted to: its address, and the organization there if known. */
  cloudAt: string | null;
  /** Deadline of a promotion in progress: nothing is deployed here meanwhile. */
  cloudBusyUntil: number | null;
  /** Set while it is being deleted: nothing new starts. */
  deletingAt: number | null;
  createdAt: number;
  updatedAt: number;
}

export interface ProjectVariableTable {
  id: string;
  organizationId: string;
  projectId: string;
  key: string;
  /** Sealed even if it is not secret, so that there is one way to store and read it. */
  value: string;
  isSecret: number;
  buildTime: number;
  updatedAt: number;
}

/** An upload session, and later its archive. */
export interface UploadTable {
  id: string;
  organizationId: string;
  projectId: string | null;
  /** Default deploy target. */
  mode: DeployTarget;
  serverId: string | null;
  /** The replica that received the archive, and has it unless it is in `upload_chunks`. */
  machine: string | null;
  hash: string;
  /** `receiving`: the archive is being sent. `received`: it is complete. `used`: a deployment took it. */
  status: 'open' | 'receiving' | 'received' | 'used';
  size: number | null;
  sha256: string | null;
  createdBy: string;
  createdAt: number;
  /** Deadline for the upload and then for its use; a used one stays with its project. */
  expiresAt: number;
  /** Last use by a deployment: the oldest are removed first. */
  usedAt: number | null;
}

/** Part of an uploaded archive; on PostgreSQL only. */
export interface UploadChunkTable {
  uploadId: string;
  /** From 0. */
  number: number;
  bytes: Buffer;
}

/** SSH key that a project uses to read its repository. */
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

/** Credentials of an image registry. */
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

/** A host name below the instance's own domain, and its owner. */
export interface HostNameTable {
  name: string;
  organizationId: string;
  projectId: string;
  environment: string;
}

/** Former owner of a deleted project. */
export interface DeletedProjectTable {
  id: string;
  organizationId: string;
  deletedAt: number;
}

/** Numeric user of a project's processes. Outlives the project: a uid is never reused. */
export interface ProjectUserTable {
  uid: number;
  projectId: string;
}

/** A volume that a user added to a project. */
export interface VolumeTable {
  id: string;
  organizationId: string;
  projectId: string;
  environment: string;
  /** Unique in the environment of the project. */
  name: string;
  /** Null: the app, or the only service. */
  service: string | null;
  /** Mount path; relative to the app's folder unless it starts with a slash. */
  path: string;
  /** Whether two releases may write to it at once. */
  overlap: number;
  /** An existing volume of the container engine, if it is one. */
  engineId: string | null;
  /** When its mount was removed; its data still exists. */
  removedAt: number | null;
  /** Its data is deleted once nothing uses it. */
  purge: number;
  createdAt: number;
}
