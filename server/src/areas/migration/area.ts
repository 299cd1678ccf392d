import type { Config } from '../../config.ts';
import type { Db, Sql } from '../../db/database.ts';
import type { ProjectTable } from '../../db/tables.ts';
import type { Route } from '../../http/define-route.ts';
import { badRequest, conflict } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import { isProjectBusy, type Machines, selectAdoption } from '../deployments/port.ts';
import type { ProjectsArea } from '../projects/area.ts';
import type { UrlsOf } from '../projects/port.ts';
import type { ServersArea } from '../servers/area.ts';
import { Adoptions } from './adoptions/service.ts';
import { Confirm } from './cut-over/confirm.ts';
import { Unfinished } from './cut-over/resume.ts';
import { cutOverRoutes } from './cut-over/routes.ts';
import { Undo } from './cut-over/undo.ts';
import { Discovery } from './discovery.ts';
import { migrationRoutes } from './routes.ts';
import { Scans } from './scan/service.ts';

/** What runs on servers already, and how it becomes a project. */
export interface MigrationArea {
  routes: Route[];
  adoptions: Adoptions;
  /** Throws when a project that is to be deleted has replaced something, and nobody has said whether that is to come back. */
  requireDecided(caller: Caller, projectId: string, options?: { abandon?: boolean }): Promise<void>;
  /** Throws when a project has taken something over that is on the server where it lives. */
  requireMovable(sql: Sql, project: ProjectTable): Promise<void>;
  /** Goes on with what was left unfinished. */
  start(): void;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  config: Pick<Config, 'sshTimeout' | 'dockerHost'>;
  sealer: Sealer;
  servers: ServersArea;
  projects: ProjectsArea;
  machines: Machines;
  log: Log;
  urlsOf: UrlsOf;
};

// For everything that is asked once we are let in.
const lookMs = 30_000;

export function createMigration(options: Options): MigrationArea {
  const { db, config, sealer, servers, projects, machines, log, urlsOf } = options;
  const deadlineMs = config.sshTimeout * 1000 + lookMs;
  const discovery = new Discovery({ db, servers, dockerHost: config.dockerHost, deadlineMs });
  const scans = new Scans(db, discovery);
  const adoptions = new Adoptions({ db, sealer, projects: projects.projects, discovery });
  const deps = { db, sealer, machines };
  const undo = new Undo(deps);
  const confirm = new Confirm(deps);
  const unfinished = new Unfinished({ ...deps, log, undo, confirm });
  return {
    adoptions,
    routes: [...migrationRoutes({ scans, adoptions, urlsOf }), ...cutOverRoutes({ on: deps, undo, confirm })],
    async requireMovable(sql, { organizationId, id }) {
      const row = await selectAdoption(sql, { organizationId, projectId: id });
      if (row && row.state !== 'confirmed')
        throw badRequest('serverId cannot be changed: the project adopts containers on that server', 'serverId');
    },
    async requireDecided(caller, projectId, { abandon = false } = {}) {
      // With a server that will not come back nothing can be brought back either.
      if (abandon) return;
      const row = await selectAdoption(db, { organizationId: caller.organization.id, projectId });
      if (!row || row.state === 'confirmed') return;
      // It may stop something at any moment, and then nobody would know of it any more.
      if (await isProjectBusy(db, row))
        throw conflict('a deployment of this project is in progress or needs a decision; finish or cancel it first');
      if (['switched', 'undoing', 'confirming'].includes(row.state))
        throw conflict(
          `this project has stopped the original containers: restore them (POST /api/migration/${projectId}/undo) or confirm the cut-over (POST /api/migration/${projectId}/confirm) first`,
        );
    },
    start: () => unfinished.start(),
    stop: () => unfinished.stop(),
  };
}
