import { homedir } from 'node:os';
import { KeptContents } from './areas/deployments/contents/contents.ts';
import type { CloudPort } from './areas/deployments/requests/cloud-port.ts';
import { createDeployments, type DeploymentsArea } from './areas/deployments/area.ts';
import { Folders, type Parts } from './areas/deployments/model/parts.ts';
import { projectUsers } from './areas/deployments/engine/project-users.ts';
import { createPrepare } from './areas/deployments/source/preparing.ts';
import { detectSource } from './areas/deployments/stack/read/summary.ts';
import { projectsPort } from './areas/deployments/requests/projects-adapter.ts';
import { nodesBeside, ServerMachines } from './areas/deployments/engine/server-machines.ts';
import { fetchContext } from './areas/deployments/source/context-repositories.ts';
import { accessRepository } from './areas/deployments/source/repository-access.ts';
import type { DomainsArea } from './areas/domains/area.ts';
import type { GitHostArea } from './areas/githost/area.ts';
import type { ProjectsArea } from './areas/projects/area.ts';
import type { Caller } from './http/caller.ts';
import { instanceLabelOf } from './areas/projects/host-names/instance-label.ts';
import type { ServersArea } from './areas/servers/area.ts';
import { organizationLimitsOf, outboundReachOf, registryOf } from './config.ts';
import { detectFolder } from './detect/in-thread.ts';
import { openPortHere } from './drivers/host/open-port.ts';
import { NpmRegistry } from './drivers/toolchain/npm-registry.ts';
import { ToolStore } from './drivers/toolchain/tool-store.ts';
import type { CreateAppOptions } from './app.ts';

/** Collects the dependencies of deployments on this machine. */
function partsOf(
  { config, database, drivers, instanceId }: CreateAppOptions,
  projects: ProjectsArea,
  { names }: DomainsArea,
  gitHost: GitHostArea,
): Parts {
  const { host, runtime, containers, edge, isolation, buildEnvironment } = drivers;
  const { dataDir } = config;
  const folders = new Folders(dataDir);
  return {
    instanceId,
    server: null,
    openPort: drivers.openPort ?? openPortHere,
    host,
    runtime,
    ...(containers && { containers }),
    edge,
    edgePorts: {
      http: [config.edgePort, config.edgePublicPort].filter((port) => port !== undefined),
      tls: [config.edgeTlsPort, config.edgePublicTlsPort].filter((port) => port !== undefined),
    },
    homeFolder: () => Promise.resolve(homedir()),
    fetchContext,
    keepVariables: (deployment, values) => projects.variables.keep(deployment, values),
    names,
    isolation,
    userOf: projectUsers({ db: database.db, instanceId, isolation, range: config.projectUids }),
    buildEnvironment,
    tools: new ToolStore(folders.tools(), new NpmRegistry(config.npmRegistry, buildEnvironment)),
    folders,
    contents: new KeptContents(dataDir),
    mode: config.mode,
    reach: outboundReachOf(config),
    limits: organizationLimitsOf(config),
    detect: detectFolder,
    resolveLocal: (path, userId) => projects.projects.localSources.resolveFor(userId, path),
    deployKeyOf: (organizationId, projectId) =>
      projects.deployKeys.privateKeyOf(database.db, organizationId, projectId),
    accessRepository: (organizationId, source, signal) =>
      accessRepository(gitHost.sources, organizationId, source, signal),
    registry: registryOf(config),
    registryLoginsOf: (organizationId) => projects.registries.loginsOf(database.db, organizationId),
    extractUpload: (uploadId, folder) => projects.uploads.extractTo(uploadId, folder),
    baseDomain: config.baseDomain,
    buildCacheBytes: config.buildCacheMb * 1_000_000,
    timeouts: {
      buildMs: config.buildTimeout * 1000,
      startMs: config.startTimeout * 1000,
      promptMs: config.promptTimeout * 1000,
      engineMs: config.engineTimeout * 1000,
    },
  };
}

/** Creates the area of deployments and what it uses on this machine and on servers. */
export function wireDeployments(
  options: CreateAppOptions,
  projects: ProjectsArea,
  { domains, ...others }: DomainsArea,
  gitHost: GitHostArea,
  servers: ServersArea,
  cloud: () => CloudPort,
): { deployments: DeploymentsArea; machines: ServerMachines } {
  const { config, database, sealer, drivers, log, owner } = options;
  const machines = new ServerMachines({
    db: database.db,
    here: partsOf(options, projects, { domains, ...others }, gitHost),
    access: (organizationId, serverId) => servers.access(organizationId, serverId),
    accessAll: () => servers.accessAll(),
    nodes: (organizationId) => servers.nodes(organizationId),
    driversOn: (server) => drivers.onServer(server),
    runtimeOn: (use) => drivers.runtimeOnServer(use),
    onChange: (serverId) => deployments.reconcileSoon(serverId),
    report: (what, error) => log.warn(`${what}: ${(error as Error).message}`),
  });
  drivers.useServers?.(async () => nodesBeside(await servers.nodes()));
  const { localSources } = projects.projects;
  const resolveLocal = async (caller: Caller, path: string) => {
    localSources.requireFor(caller);
    return localSources.resolve(path, 'path');
  };
  const deployments = createDeployments({
    db: database.db,
    background: database.background,
    kind: database.kind,
    sealer,
    log,
    machines,
    projects: projectsPort(
      database.db,
      projects,
      { domains, baseDomain: config.baseDomain, instanceLabel: instanceLabelOf(config), onMove: others.onMove },
      servers.servers,
      sealer,
    ),
    mode: config.mode,
    cloud,
    owner,
    isBound: drivers.isBound,
    atOnce: config.buildsAtOnce,
    prepare: createPrepare({
      host: drivers.host,
      dataDir: config.dataDir,
      environment: drivers.buildEnvironment,
      reach: outboundReachOf(config),
      detect: detectSource,
      resolveLocal,
      sources: gitHost.sources,
    }),
    gitHost,
    publicUrl: config.publicUrl,
    pollMs: config.pushPollSeconds * 1000,
  });
  return { deployments, machines };
}
