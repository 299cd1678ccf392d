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
import { CutOverConfirmation } from './cut-over/confirm.ts';
import { CutOverResumption } from './cut-over/resume.ts';
import { cutOverRoutes } from './cut-over/routes.ts';
import { CutOverUndo } from './cut-over/undo.ts';
import { Discovery } from './discovery.ts';
import { migrationRoutes } from './routes.ts';
import { Scans } from './scan/service.ts';

/** Scans servers for containers, and adopts them as projects. */
export interface MigrationArea {
  routes: Route[];
  adoptions: Adoptions;
  /** Rejects deleting a project with stopped originals before it was undone or confirmed. */
  requireDecided(caller: Caller, projectId: string, options?: { abandon?: boolean }): Promise<void>;
  /** Rejects moving a project whose originals are on its server. */
  requireMovable(sql: Sql, project: ProjectTable): Promise<void>;
  /** Resumes unfinished cut-overs. */
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

// Time for all queries once connected.
const lookMs = 30_000;

export function createMigration(options: Options): MigrationArea {
  const { db, config, sealer, servers, projects, machines, log, urlsOf } = options;
  const deadlineMs = config.sshTimeout * 1000 + lookMs;
  const discovery = new Discovery({ db, servers, dockerHost: config.dockerHost, deadlineMs });
  const scans = new Scans(db, discovery);
  const adoptions = new Adoptions({ db, sealer, projects: projects.projects, discovery });
  const deps = { db, sealer, machines };
  const undo = new CutOverUndo(deps);
  const confirm = new CutOverConfirmation(deps);
  const unfinished = new CutOverResumption({ ...deps, log, undo, confirm });
  return {
    adoptions,
    routes: [...migrationRoutes({ scans, adoptions, urlsOf }), ...cutOverRoutes({ on: deps, undo, confirm })],
    async requireMovable(sql, { organizationId, id }) {
      const row = await selectAdoption(sql, { organizationId, projectId: id });
      if (row && row.state !== 'confirmed')
        throw badRequest('serverId cannot be changed: the project adopts containers on that server', 'serverId');
    },
    async requireDecided(caller, projectId, { abandon = false } = {}) {
      // On an abandoned server nothing can be restored.
      if (abandon) return;
      const row = await selectAdoption(db, { organizationId: caller.organization.id, projectId });
      if (!row || row.state === 'confirmed') return;
      // A running deployment may stop an original at any moment.
      if (await isProjectBusy(db, row))
        throw conflict('a deployment of this project is in progress or needs a decision; finish or cancel it first');
      if (['switched', 'undoing', 'confirming'].includes(row.state))
        throw conflict(
          `this project has stopped the original containers: restore them first (mooring migrate undo ${projectId}), or remove them (mooring migrate confirm ${projectId})`,
        );
    },
    start: () => unfinished.start(),
    stop: () => unfinished.stop(),
  };
}
