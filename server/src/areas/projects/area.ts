import type { Config } from '../../config.ts';
import type { DatabaseKind, Db } from '../../db/database.ts';
import type { DetectFolder } from './uploads/schemas.ts';
import { notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import type { Route } from '../../http/define-route.ts';
import type { Sealer } from '../../lib/seal.ts';
import type { GrantTargets } from '../access/port.ts';
import type { GitHostSources } from '../githost/port.ts';
import { deployKeyRoutes } from './deploy-keys/routes.ts';
import { DeployKeys } from './deploy-keys/service.ts';
import { instanceLabelOf } from './host-names/instance-label.ts';
import { linkRoutes } from './links/routes.ts';
import { ProjectLinks } from './links/service.ts';
import { type LocalSourceFolders, LocalSources } from './projects/local-sources.ts';
import { projectRoutes, type UrlsOf } from './projects/routes.ts';
import { Projects, type TargetFor } from './projects/service.ts';
import { selectKnownProjects } from './projects/store.ts';
import { registryRoutes } from './registries/routes.ts';
import { Registries } from './registries/service.ts';
import { uploadArchives } from './uploads/files.ts';
import { uploadRoutes } from './uploads/routes.ts';
import { Uploads } from './uploads/service.ts';
import { UploadTidying } from './uploads/tidy.ts';
import { variableRoutes } from './variables/routes.ts';
import { Variables } from './variables/service.ts';

/** Projects, their variables, and uploaded sources. */
export interface ProjectsArea {
  routes: Route[];
  projects: Projects;
  variables: Variables;
  uploads: Uploads;
  deployKeys: DeployKeys;
  registries: Registries;
  /** Removes expired uploads; also runs on a timer. */
  tidy(now?: number): Promise<void>;
  stop(): Promise<void>;
}

type Options = {
  db: Db;
  kind: DatabaseKind;
  config: Pick<Config, 'mode' | 'baseDomain' | 'publicUrl'>;
  sealer: Sealer;
  dataDir: string;
  /** Identifies this replica, also after a restart. */
  machine: string;
  localSources: LocalSourceFolders;
  sources: GitHostSources;
  detectFolder: DetectFolder;
  grantTargets: GrantTargets;
  /** Throws a 404 if the caller cannot use that server. Without it there are no servers. */
  requireServer?: (caller: Caller, serverId: string) => Promise<void>;
  /** Returns the server if the caller may deploy to it; null for this machine. Without it there are no servers. */
  targetFor?: TargetFor;
  /** Limit per organization; null for none. */
  mostProjects?: number | null;
  urlsOf: UrlsOf;
  warn: (message: string) => void;
};

const noServers = (): Promise<never> => Promise.reject(notFound('server'));

export function createProjects(options: Options): ProjectsArea {
  const { db, sealer, dataDir, machine, detectFolder, grantTargets, warn } = options;
  const { mode } = options.config;
  const requireServer = options.requireServer ?? noServers;
  const targetFor = options.targetFor ?? noServers;
  const files = uploadArchives(options, dataDir);
  const localSources = new LocalSources({ ...options.localSources, db, mode, dataDir });
  const links = new ProjectLinks(options.sources);
  const instanceLabel = instanceLabelOf(options.config);
  const projects = new Projects({
    db,
    mode,
    dataDir,
    localSources,
    links,
    instanceLabel,
    targetFor,
    mostProjects: options.mostProjects ?? null,
  });
  const variables = new Variables(db, sealer);
  const deployKeys = new DeployKeys(db, sealer);
  const registries = new Registries(db, sealer);
  const uploads = new Uploads({ db, mode, dataDir, machine, files, detectFolder, requireServer });
  grantTargets.tellOf('project', selectKnownProjects);
  const tidying = new UploadTidying(db, files, warn);
  return {
    routes: [
      ...projectRoutes(projects, options.urlsOf),
      ...linkRoutes(projects),
      ...variableRoutes(variables),
      ...deployKeyRoutes(deployKeys),
      ...registryRoutes(registries),
      ...uploadRoutes(uploads),
    ],
    projects,
    variables,
    uploads,
    deployKeys,
    registries,
    tidy: (now) => tidying.tidy(now),
    stop: async () => tidying.stop(),
  };
}
