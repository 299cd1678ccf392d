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
  organization_id: string;
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
  rollback_window: number;
  auto_deploy: number;
  require_approval: number;
  trusted: number;
  /** Where it is deployed unless a deployment says otherwise; null: here. */
  server_id: string | null;
  /** Sealed JSON, a compose document: what it is made of, where its source does not say that. */
  services: string | null;
  /** `there`: it lives in the cloud, under the same id. `home`: it was brought back, and something may be left there. Null: it was
   * never there. */
  cloud_state: 'there' | 'home' | null;
  /** Names a promotion whose outcome is not known: asking again with it does it once. */
  cloud_key: string | null;
  /** Where production answers in the cloud. */
  cloud_url: string | null;
  /** The cloud that it was taken to, or may have been: its address, and the organization there as far as it is known. */
  cloud_at: string | null;
  /** A promotion is under way, until then at the latest: nothing is deployed here meanwhile. */
  cloud_busy_until: number | null;
  /** Set while everything of it is removed: nothing new begins. */
  deleting_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface ProjectVariableTable {
  id: string;
  organization_id: string;
  project_id: string;
  key: string;
  /** Sealed, also when it is no secret: one way to store, one way to read. */
  value: string;
  is_secret: number;
  build_time: number;
  updated_at: number;
}

/** An upload session, and later the archive that came through it. */
export interface UploadTable {
  id: string;
  organization_id: string;
  project_id: string | null;
  /** Where it is deployed to when the request does not say. */
  mode: DeployTarget;
  server_id: string | null;
  /** The replica that has the archive. */
  machine: string | null;
  hash: string;
  /** `receiving`: somebody sends the archive. `received`: it is here. `used`: a deployment took it. */
  status: 'open' | 'receiving' | 'received' | 'used';
  size: number | null;
  sha256: string | null;
  created_by: string;
  created_at: number;
  /** Until then it may be filled, and once filled be used; a used one stays with its project. */
  expires_at: number;
  /** When a deployment took it last: the oldest go first. */
  used_at: number | null;
}

/** The key that a project reads its repository with. */
export interface DeployKeyTable {
  id: string;
  organization_id: string;
  project_id: string;
  public_key: string;
  fingerprint: string;
  /** Sealed. */
  private_key: string;
  created_at: number;
}

/** A login at an image registry. */
export interface RegistryTable {
  id: string;
  organization_id: string;
  address: string;
  username: string;
  /** Sealed. */
  password: string;
  created_at: number;
  updated_at: number;
}

/** A name under the instance's own domain, and who has it. */
export interface HostNameTable {
  name: string;
  organization_id: string;
  project_id: string;
  environment: string;
}

/** Whose a project was. */
export interface DeletedProjectTable {
  id: string;
  organization_id: string;
  deleted_at: number;
}

/** Which numeric user a project's processes run as. Outlives the project: a user is never given again. */
export interface ProjectUserTable {
  uid: number;
  project_id: string;
}

/** A volume that somebody has added to a project. */
export interface VolumeTable {
  id: string;
  organization_id: string;
  project_id: string;
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
  engine_id: string | null;
  /** When its mount was removed; its data is still there. */
  removed_at: number | null;
  /** Its data goes as soon as nothing uses it. */
  purge: number;
  created_at: number;
}
