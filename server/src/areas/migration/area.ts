import type { Config } from '../../config.ts';
import type { Db } from '../../db/database.ts';
import type { Route } from '../../http/define-route.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { ProjectsArea } from '../projects/area.ts';
import type { ServersArea } from '../servers/area.ts';
import { Adoptions } from './adoptions/service.ts';
import { Discovery } from './discovery.ts';
import { migrationRoutes } from './routes.ts';
import { Scans } from './scan/service.ts';

/** What runs on servers already, and how it becomes a project. */
export interface MigrationArea {
  routes: Route[];
  adoptions: Adoptions;
}

type Options = {
  db: Db;
  config: Pick<Config, 'sshTimeout' | 'dockerHost'>;
  sealer: Sealer;
  servers: ServersArea;
  projects: ProjectsArea;
  /** The address of a name under the instance's own domain. */
  urlOf: (label: string) => string;
};

// For everything that is asked once we are let in.
const lookMs = 30_000;

export function createMigration({ db, config, sealer, servers, projects, urlOf }: Options): MigrationArea {
  const deadlineMs = config.sshTimeout * 1000 + lookMs;
  const discovery = new Discovery({ db, servers, dockerHost: config.dockerHost, deadlineMs });
  const scans = new Scans(db, discovery);
  const adoptions = new Adoptions({ db, sealer, projects: projects.projects, discovery });
  return { routes: migrationRoutes({ scans, adoptions, urlOf: ({ slug }) => urlOf(slug) }), adoptions };
}
