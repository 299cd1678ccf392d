import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type AccessArea, createAccess } from './areas/access/area.ts';
import { hasAccessTo } from './areas/access/grants.ts';
import { type BackupsArea, createBackups } from './areas/backups/area.ts';
import { createBackupSources } from './areas/backups/sources/index.ts';
import type { MakeInstanceBackup } from './areas/backups/sources/instance.ts';
import type { DeploymentsArea } from './areas/deployments/area.ts';
import type { ContainerParts } from './areas/deployments/model/parts.ts';
import { drainNode } from './areas/deployments/engine/drain-node.ts';
import { requireNothingActive } from './areas/deployments/requests/targets.ts';
import { detectSource } from './areas/deployments/stack/read/summary.ts';
import { requireNoLeftoversOn } from './areas/deployments/requests/project-leftovers.ts';
import { moveProjects } from './areas/deployments/requests/move-projects.ts';
import {
  type ReachedServer,
  type ServerDrivers,
  ServerMachines,
  type ServerMachinesOptions,
} from './areas/deployments/engine/server-machines.ts';
import { createDomains, type DomainsArea } from './areas/domains/area.ts';
import { type CloudArea, createCloud } from './areas/cloud/area.ts';
import { createInstance, type InstanceArea } from './areas/instance/area.ts';
import { createGitHost, type GitHostArea } from './areas/githost/area.ts';
import { createMigration, type MigrationArea } from './areas/migration/area.ts';
import { createProjects, type ProjectsArea } from './areas/projects/area.ts';
import type { LocalSourceFolders } from './areas/projects/projects/local-sources.ts';
import { hasPermission } from './http/caller.ts';
import { forbidden } from './errors.ts';
import { targetLookups } from './target-lookups.ts';
import type { UrlsOf } from './areas/projects/projects/routes.ts';
import { createServers, type ServersArea } from './areas/servers/area.ts';
import { requireNoNode } from './areas/servers/cluster/service.ts';
import { type Config, mostProjectsOf, outboundReachOf } from './config.ts';
import { type Database, isUnavailable } from './db/database.ts';
import { createAcme } from './drivers/certs/acme/acme.ts';
import type { Edge } from './drivers/edge/edge.ts';
import type { GitHub } from './drivers/githost/github/github.ts';
import type { Host } from './drivers/host/host.ts';
import type { ProcessIsolation } from './drivers/host/isolation.ts';
import { isolationNotice } from './drivers/host/isolation-notice.ts';
import type { OpenPort } from './drivers/host/open-port.ts';
import { storageKinds } from './drivers/storage/index.ts';
import { checkLocalRoot } from './drivers/storage/local/local-root.ts';
import { EngineAwayError } from './drivers/runtime/errors.ts';
import type { Runtime } from './drivers/runtime/runtime.ts';
import type { SwarmServer } from './drivers/runtime/swarm/swarm-server.ts';
import type { Route } from './http/define-route.ts';
import { instanceRoutes } from './http/instance-routes.ts';
import { createServer } from './http/server.ts';
import { EventStreams } from './http/sse.ts';
import { findWebPages } from './http/web-pages.ts';
import type { Log } from './lib/log.ts';
import type { Sealer } from './lib/seal.ts';
import { version } from './version.ts';
import { wireDeployments } from './wire-deployments.ts';

export interface App {
  server: FastifyInstance;
  access: AccessArea;
  updates: InstanceArea;
  servers: ServersArea;
  gitHost: GitHostArea;
  domains: DomainsArea;
  deployments: DeploymentsArea;
  backups: BackupsArea;
  migration: MigrationArea;
  cloud: CloudArea;
  routes: Route[];
  streams: EventStreams;
  /** Reads the dashboard's files, unless a request has come first. */
  readPages: () => void;
  /** From now on the health check fails, and connections end with their current request. */
  drain(): void;
  /** Ends streams and requests within `withinMs`, then stops the areas. */
  stop(withinMs?: number): Promise<void>;
}

/** Drivers for everything outside this process: commands, releases, the edge and the git host. */
export type Drivers = {
  host: Host;
  runtime: Runtime;
  /** Undefined when releases run as processes. */
  containers?: ContainerParts;
  edge: Edge;
  /** Connects to a port of a release; by default from this machine. */
  openPort?: OpenPort;
  gitHost: GitHub;
  isolation: Promise<ProcessIsolation>;
  /** Variables that builds inherit: PATH, locale, certificates and proxies. */
  buildEnvironment: Record<string, string>;
  localSources: LocalSourceFolders;
  /** Returns the drivers of a managed server. */
  onServer(server: ReachedServer): Promise<ServerDrivers>;
  /** Finds out how a server that nothing was deployed to shall run projects. */
  runtimeOnServer: ServerMachinesOptions['runtimeOn'];
  /** Tells which servers may be nodes of the Swarm that this machine manages. */
  useServers?(servers: () => Promise<SwarmServer[]>): void;
  /** Other replicas cannot reach apps on this machine. */
  isBound: boolean;
  /** Follows engine and app events; calls `onChange` when the state must be reconciled. */
  watch(onChange: () => void): void;
  /** Closes connections. Apps keep running. */
  close(): Promise<void>;
};

export type CreateAppOptions = {
  config: Config;
  database: Database;
  sealer: Sealer;
  instanceId: string;
  owner: string;
  drivers: Drivers;
  log: Log;
  openApiFile: string;
  webFolder: string;
  extraRoutes?: Route[];
  /** Writes a backup of this instance into a folder. */
  makeInstanceBackup?: MakeInstanceBackup;
};

/** Wires up the areas and mounts their routes. */
export function createApp(options: CreateAppOptions): App {
  const { config, database, sealer, log, openApiFile, webFolder, extraRoutes = [] } = options;
  const streams = new EventStreams();
  let isDraining = false;
  const access = createAccess(database, config, (message) => log.warn(message));
  const updates = createInstance({
    db: database.db,
    config,
    version,
    environment: options.drivers.buildEnvironment,
    log,
  });
  const servers = createServers({
    db: database.db,
    config,
    instanceId: options.instanceId,
    sealer,
    grantTargets: access.grantTargets,
  });
  const gitHost = gitHostOf(options, () => cloud.gitHost);
  const projects = projectsOf(options, access.grantTargets, servers, gitHost, (rows) => domains.places.urlsOf(rows));
  const domains = domainsOf(options);
  const { deployments, machines } = wireDeployments(options, projects, domains, gitHost, servers, () => cloud.port);
  const backups = backupsOf(options, access.grantTargets, servers, machines);
  const { db } = database;
  const migration = createMigration({
    db,
    config,
    sealer,
    servers,
    projects,
    machines,
    log,
    urlsOf: (rows) => domains.places.urlsOf(rows),
  });
  const cloud = createCloud({
    db,
    config,
    sealer,
    log,
    gitHost,
    projects,
    deployments: deployments.deployments,
    urlsOf: (rows) => domains.places.urlsOf(rows),
  });
  domains.places.knowServers(async (where) => (await machines.of(where)).edge);
  domains.domains.onChange((holder) => deployments.applyDomainChange(holder));
  domains.domains.knowServices(deployments.servicesOf);
  servers.servers.beforeDelete((trx, caller, { id }) => backups.destinations.requireUnused(trx, caller, id));
  servers.servers.beforeDelete((trx, caller, { id }) => migration.adoptions.requireUnused(trx, caller, id));
  servers.servers.beforeDelete((trx, caller, { id }) => projects.projects.requireNoneOn(trx, caller, id));
  servers.servers.beforeDelete((trx, _caller, { id }) => requireNoLeftoversOn(trx, id));
  servers.servers.beforeDelete(async (_trx, _caller, server) => requireNoNode(server));
  servers.servers.beforeLeave((server) => machines.leave(server));
  servers.useClusterHooks({
    async requireEmpty(trx, caller, id) {
      await projects.projects.requireNoneOn(trx, caller, id);
      await requireNoLeftoversOn(trx, id);
    },
    moveAway: (head, engine, nodeId) => drainNode(machines, head, engine, nodeId),
    removeEdge: (server) => machines.removeEdge(server),
    moveProjects,
    forget: ({ id }) => machines.forget(id),
  });
  projects.projects.beforeMove((trx, project) => requireNothingActive(trx, project));
  projects.projects.beforeMove((trx, project) => migration.requireMovable(trx, project));
  projects.projects.beforeMove((trx, project) => domains.onMove(trx, project));
  projects.projects.beforeDelete((caller, { id }, options) => migration.requireDecided(caller, id, options));
  projects.projects.beforeDelete((caller, project, options) => cloud.beforeProjectDelete(caller, project, options));
  projects.projects.beforeDelete((caller, project, options) =>
    deployments.removal.clearProject(caller, project, options),
  );
  projects.projects.afterDelete((id) => deployments.removal.finishProject(id));
  const routes = [
    ...instanceRoutes({
      version,
      mode: config.mode,
      openApiFile,
      containers: Boolean(options.drivers.containers),
      isDraining: () => isDraining,
      notices: async () => [
        ...(await machineNotices(options)),
        ...(config.instanceBackup === 'off' ? [] : await backups.notices()),
      ],
      certificateProgress: async () => (await domains.dashboard?.progress()) ?? null,
    }),
    ...updates.routes,
    ...access.routes,
    ...servers.routes,
    ...gitHost.routes,
    ...projects.routes,
    ...domains.routes,
    ...backups.routes,
    ...deployments.routes,
    ...migration.routes,
    ...cloud.routes,
    ...extraRoutes,
  ];
  const pages = findWebPages(webFolder);
  const server = createServer({
    ...config,
    routes,
    log,
    streams,
    dataVersion: database.dataVersion,
    authenticator: access.authenticator,
    dashboard: domains.dashboard,
    pages,
    awayOf,
    isDraining: () => isDraining,
    elsewhere: cloud.elsewhere,
    lookUps: targetLookups({ db, backups, deployments }),
  });
  return {
    server,
    access,
    updates,
    servers,
    gitHost,
    domains,
    deployments,
    backups,
    migration,
    cloud,
    routes,
    streams,
    readPages: () => void pages(),
    drain: () => void (isDraining = true),
    stop,
  };

  async function stop(withinMs = 4000): Promise<void> {
    streams.closeAll();
    const impatience = setTimeout(() => server.server.closeAllConnections(), withinMs);
    // In parallel, because builds and open requests share the same few seconds.
    await Promise.all([
      server.close(),
      deployments.stop(),
      backups.stop(),
      migration.stop(),
      domains.stop(),
      cloud.stop(),
    ]);
    await updates.stop();
    clearTimeout(impatience);
    await projects.stop();
    await gitHost.stop();
    await machines.close();
    await servers.stop();
    await access.stop();
  }
}

const awayOf = (error: unknown): string | undefined =>
  isUnavailable(error) ? 'the database' : error instanceof EngineAwayError ? 'the container engine' : undefined;

const gitHostOf = (
  { config, database, sealer, drivers, log, owner }: CreateAppOptions,
  cloud: () => CloudArea['gitHost'],
): GitHostArea =>
  createGitHost({
    db: database.db,
    kind: database.kind,
    config,
    sealer,
    log,
    owner,
    gitHost: drivers.gitHost,
    cloud,
  });

const projectsOf = (
  options: CreateAppOptions,
  grantTargets: AccessArea['grantTargets'],
  servers: ServersArea,
  { sources }: GitHostArea,
  urlsOf: UrlsOf,
): ProjectsArea => {
  const { config, database, sealer, drivers, log, owner } = options;
  return createProjects({
    db: database.db,
    kind: database.kind,
    config,
    sealer,
    dataDir: config.dataDir,
    machine: owner,
    localSources: drivers.localSources,
    sources,
    detectFolder: detectSource,
    urlsOf,
    grantTargets,
    requireServer: (caller, serverId) => servers.servers.requireVisible(caller, serverId),
    mostProjects: mostProjectsOf(config),
    targetFor: (sql, caller, serverId) => servers.servers.targetFor(sql, caller, serverId),
    warn: (message) => log.warn(message),
  });
};

function domainsOf({ config, database, sealer, drivers, log, instanceId, owner }: CreateAppOptions): DomainsArea {
  const { acmeDirectory: directory, acmeEmail: email, acmeCaFile: caFile, acmeKeyId: keyId, acmeKey: key } = config;
  const binding = keyId && key ? { keyId, key } : undefined;
  const authority = directory === 'none' ? undefined : createAcme({ directory, email, caFile, binding });
  return createDomains({
    ...database,
    config,
    sealer,
    log,
    instanceId,
    owner,
    edge: drivers.edge,
    authority,
  });
}

function backupsOf(
  options: CreateAppOptions,
  grantTargets: AccessArea['grantTargets'],
  servers: ServersArea,
  machines: ServerMachines,
): BackupsArea {
  const { config, database, sealer, log, owner } = options;
  const serverOf = async (organizationId: string, serverId: string) => {
    const server = await servers.access(organizationId, serverId);
    if (server?.kind !== 'this_machine') return server;
    return { name: server.name, folder: join(config.dataDir, 'backups') };
  };
  return createBackups({
    db: database.db,
    sealer,
    kinds: storageKinds,
    reach: outboundReachOf(config),
    localRoot: () => localRootOf(options),
    preflightMs: config.preflightTimeout * 1000,
    report: (message) => options.log.info(message),
    async serverFor(caller, serverId) {
      // The destination is written with the server's credentials.
      if (!hasPermission(caller, 'server:write'))
        throw forbidden('a destination on a server needs the permission server:write');
      if (!hasAccessTo(caller, 'server', serverId, 'write')) return undefined;
      return serverOf(caller.organization.id, serverId);
    },
    grantTargets,
    kind: database.kind,
    log,
    owner,
    dataDir: config.dataDir,
    version,
    sources: createBackupSources({ ...database, sealer, machines }),
    makeInstanceBackup: options.makeInstanceBackup ?? (() => Promise.reject(new Error('this is not a service'))),
    serverOf,
  });
}

/** Undefined in cloud mode, where callers do not own the machine, and for an unusable root, which is logged. */
export async function localRootOf({ config, log }: Pick<CreateAppOptions, 'config'> & { log: Pick<Log, 'warn'> }) {
  const { mode, allowLocalDestination, localDestinationRoot: root, dataDir } = config;
  if (mode === 'cloud' || !allowLocalDestination || root === undefined) return undefined;
  const complaint = await checkLocalRoot(root, dataDir);
  if (!complaint) return root;
  log.warn(`BACKUP_LOCAL_ROOT ${complaint}; there are no local backup destinations`);
  return undefined;
}

/** Returns warnings about this machine for the instance owner. */
export async function machineNotices({
  config,
  drivers,
}: Pick<CreateAppOptions, 'config' | 'drivers'>): Promise<string[]> {
  const notice = drivers.containers ? undefined : isolationNotice(await drivers.isolation, config.dataDir);
  return notice ? [notice] : [];
}
