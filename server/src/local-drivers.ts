import { mkdirSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Drivers } from './app.ts';
import { type Config, edgeClientsOf, serviceSocketOf } from './config.ts';
import { containerEngine, containerPartsOf, type DriverLog, reportTo } from './container-engine.ts';
import { createBuiltinEdge } from './drivers/edge/builtin/builtin.ts';
import { detectIsolation, type ProcessIsolation } from './drivers/host/isolation.ts';
import { localHost } from './drivers/host/local.ts';
import { gitHostOf } from './git-host.ts';
import { createProcessRuntime } from './drivers/runtime/process/process-runtime.ts';
import { severalRuntimes } from './drivers/runtime/several-runtimes.ts';
import type { RuntimeEvent } from './drivers/runtime/runtime.ts';
import type { SwarmDrivers, SwarmDriversOptions } from './swarm-drivers.ts';
import type { SwarmServer } from './drivers/runtime/swarm/swarm-server.ts';

// Below the kernel's ephemeral range, so that no connection takes the port of a restarting app.
const appPorts = { from: 20_000, to: 27_999 };

/** Variables that builds inherit; all others are withheld. */
const passedOn = /^(PATH|LANG|LC_ALL|TZ|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|(https?|no|all)_proxy)$/i;

/** Limits how often a crash loop triggers a reconcile. */
const leastMs = 2_000;

/** Filters events that need a reconcile: the engine is back, or an app ended and another process may take its port. */
function newsOf(): (what: string) => boolean {
  let last = 0;
  return (what) => {
    if (what === 'engine-there') return true;
    if (what !== 'ended' || Date.now() - last < leastMs) return false;
    last = Date.now();
    return true;
  };
}

type Environment = Record<string, string | undefined>;

const chosen = (environment: Environment, names: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => names.test(entry[0]) && entry[1] !== undefined,
    ),
  );

/** The subset for build containers, where our PATH and certificate paths do not apply. */
export const proxiesIn = (environment: Environment): Record<string, string> => chosen(environment, /_proxy$/i);

/** Takes as long as a few commands. */
export const isolationHere = (config: Config, { PATH: path = '' }: Environment): Promise<ProcessIsolation> =>
  detectIsolation({ ...config, setting: config.processIsolation, path });

/** Creates the drivers of this machine: processes or containers, and the built-in edge. */
export async function localDrivers(
  config: Config,
  instanceId: string,
  isolation: Promise<ProcessIsolation>,
  environment: Environment,
  log: DriverLog,
  registryPassword: () => Promise<string>,
): Promise<Drivers> {
  const { dataDir } = config;
  const buildEnvironment = chosen(environment, passedOn);
  const proxies = proxiesIn(environment);
  let onChange = () => {};
  const isNews = newsOf();
  const program = (name: string) => join(import.meta.dirname, name);
  const bundle = { program: program('edge.cjs'), keeper: program('edge-keeper.cjs'), execPath: process.execPath };
  let servers = async (): Promise<SwarmServer[]> => [];
  const swarm =
    config.runtime === 'swarm'
      ? await swarmHere(config, { instanceId, bundle, log, registry: config, clients: edgeClientsOf(config) }, () =>
          servers(),
        )
      : undefined;
  const heard = {
    onEvent: ({ what }: RuntimeEvent) => isNews(what) && onChange(),
    report: reportTo(log),
  };
  const engine = await containerEngine(config, instanceId, proxies, heard, swarm && { ...swarm, registryPassword });
  const processes = createProcessRuntime({
    folder: join(dataDir, 'processes'),
    instanceId,
    program: program('supervisor.cjs'),
    portRange: appPorts,
    isolation,
  });
  return {
    host: localHost(),
    ...(swarm && { openPort: swarm.openPort }),
    runtime: engine ? severalRuntimes({ folder: processes, image: engine.runtime }) : processes,
    ...(engine && { containers: containerPartsOf(engine) }),
    useServers: (nodes) => void (servers = nodes),
    watch(onEngine) {
      onChange = onEngine;
      engine?.runtime.watch();
    },
    // Loaded only when there are servers.
    onServer: async (server) =>
      (await import('./server-drivers.ts')).serverDrivers(server, {
        config,
        instanceId,
        bundle,
        buildArgs: proxies,
        registryPassword,
        log,
      }),
    runtimeOnServer: async (use) => (await import('./server-drivers.ts')).runtimeOn(use, instanceId),
    async close() {
      swarm?.close();
      await engine?.close();
    },
    edge:
      swarm?.edge ??
      createBuiltinEdge({
        dataDir,
        instanceId,
        host: config.edgeHost,
        port: config.edgePort,
        tlsPort: config.edgeTlsPort,
        publicPort: config.edgePublicPort ?? null,
        publicTlsPort: config.edgePublicTlsPort ?? null,
        ...edgeClientsOf(config),
        workers: config.edgeWorkers,
        program: program('edge.cjs'),
      }),
    gitHost: gitHostOf(config, { home: homedir(), path: environment['PATH'] ?? '' }),
    isBound: true,
    isolation,
    buildEnvironment,
    localSources: {
      roots: config.localSourceRoots.length ? config.localSourceRoots : [process.cwd(), homedir(), tmpdir()],
      areConfigured: config.localSourceRoots.length > 0,
      programFolder: join(import.meta.dirname, '../..'),
    },
  };
}

/** The engine of this machine manages the Swarm. */
async function swarmHere(
  config: Config,
  options: SwarmDriversOptions,
  servers: () => Promise<SwarmServer[]>,
): Promise<SwarmDrivers> {
  const [{ swarmDrivers }, { engineAt }] = await Promise.all([
    import('./swarm-drivers.ts'),
    import('./drivers/runtime/docker/engine/client.ts'),
  ]);
  const socketFolder = dirname(serviceSocketOf(config));
  mkdirSync(socketFolder, { recursive: true, mode: 0o700 });
  const { edgeHost: host, edgePort: port, edgeTlsPort: tlsPort } = config;
  const ports = { publicPort: config.edgePublicPort ?? null, publicTlsPort: config.edgePublicTlsPort ?? null };
  const settings = { host, port, tlsPort, ...ports };
  const head = { name: 'this machine', connect: engineAt(config.dockerHost), settings, socketFolder, servers };
  return swarmDrivers(head, options);
}
