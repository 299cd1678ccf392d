import type { AccessTables } from './tables/access.ts';
import type { BackupTables } from './tables/backups.ts';
import type { CloudTables } from './tables/cloud.ts';
import type { DeploymentTables } from './tables/deployments.ts';
import type { DomainTables } from './tables/domains.ts';
import type { GithostTables } from './tables/githost.ts';
import type { ProjectTables } from './tables/projects.ts';
import type { PushTables } from './tables/pushes.ts';
import type { ServerTables } from './tables/servers.ts';
import type { WorkerTables } from './tables/workers.ts';

/** The tables in TypeScript; columns are snake_case in the database (column-names.ts). Times are milliseconds since
 * 1970, flags are 0 or 1; columns described as JSON contain text; columns named `hash` contain the SHA-256 of a
 * random secret. */
export interface Tables
  extends
    AccessTables,
    ServerTables,
    GithostTables,
    ProjectTables,
    DeploymentTables,
    BackupTables,
    PushTables,
    DomainTables,
    CloudTables,
    WorkerTables {}

export type * from './tables/access.ts';
export type * from './tables/backups.ts';
export type * from './tables/cloud.ts';
export type * from './tables/deployments.ts';
export type * from './tables/domains.ts';
export type * from './tables/githost.ts';
export type * from './tables/projects.ts';
export type * from './tables/pushes.ts';
export type * from './tables/servers.ts';
export type * from './tables/workers.ts';
