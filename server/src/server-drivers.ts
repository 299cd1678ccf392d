import { isAbsolute, join } from 'node:path';
import { EngineAwayError } from './drivers/runtime/errors.ts';
import type { FoundRuntime, ReachedServer, ServerDrivers } from './areas/deployments/engine/server-machines.ts';
import { type Config, edgeClientsOf } from './config.ts';
import { containerPartsOf, type DriverLog, driversOf, reportTo, swarmOptions } from './container-engine.ts';
import type { EdgePrograms } from './drivers/edge/on-server/server-edge.ts';
import { runAndCollect } from './drivers/ssh/run-and-collect.ts';
import { heldPort, type UseSsh } from './drivers/ssh/held-socket.ts';

const readingMs = 5000;

type Options = {
  config: Config;
  /** Programs that run on the server. */
  bundle: EdgePrograms;
  instanceId: string;
  buildArgs: Record<string, string>;
  /** Of the registry that Mooring runs for a Swarm. */
  registryPassword: () => Promise<string>;
  log: DriverLog;
};

/** Creates the drivers of a server: its container engine, and the built-in edge in a container, over one connection. */
export async function serverDrivers(server: ReachedServer, options: Options): Promise<ServerDrivers> {
  const { config, instanceId, bundle, buildArgs, registryPassword, log } = options;
  const { name, use, folder, onChange } = server;
  const [{ EngineClient }, { engineOverSsh }, { ShippedFiles }, { createServerEdge }] = await Promise.all([
    import('./drivers/runtime/docker/engine/client.ts'),
    import('./drivers/runtime/docker/engine/over-ssh.ts'),
    import('./drivers/runtime/docker/shipping/shipped-files.ts'),
    import('./drivers/edge/on-server/server-edge.ts'),
  ]);
  const outputOf = async (command: string[]) => {
    const signal = AbortSignal.timeout(readingMs);
    return (await use((connection) => runAndCollect(connection, command, signal), { signal })).stdout;
  };
  const connect = engineOverSsh(use);
  const client = new EngineClient(connect);
  const report = reportTo(log, name);
  const files = new ShippedFiles(client, instanceId, folder);
  const settings = { host: '0.0.0.0', ...server.edge, publicPort: null, publicTlsPort: null };
  // In cloud mode servers belong to customers, who must not get the credentials of the operator's registry, and have
  // proxies of their own.
  const isCloud = config.mode === 'cloud';
  const registry = isCloud ? { ...config, swarmRegistry: undefined } : config;
  // A proxy on the machine that runs Mooring is not on this server.
  const trustedProxies = config.trustedProxies.filter((range) => !/^(?:127\.|::1(?:\/|$))/.test(range));
  const clients = isCloud ? undefined : edgeClientsOf({ ...config, trustedProxies });
  const swarm =
    server.runtime === 'swarm'
      ? (await import('./swarm-drivers.ts')).swarmDrivers(
          { name, connect, settings, nodeId: server.nodeId, servers: server.nodes },
          { instanceId, bundle, log, registry, clients },
        )
      : undefined;
  const engine = await driversOf(client, {
    connect,
    folder,
    instanceId,
    hostAddress: '127.0.0.1',
    buildArgs,
    heard: { onEvent: ({ what }) => (what === 'engine-there' || what === 'ended') && onChange(), report },
    disk: async () => undefined,
    isElsewhere: true,
    readProc: (paths) => outputOf(['cat', ...paths]),
    prepare: (spec) => files.placed(spec),
    renew: (whose, paths) => files.renew(whose, paths),
    sourceFiles: join(folder, 'contents'),
    ...(swarm && {
      swarm: await swarmOptions(registry, client, instanceId, { ...swarm, registryPassword }, report),
    }),
  });
  engine.runtime.watch();
  const alone = createServerEdge({ engine: client, instanceId, settings, clients, bundle, report });
  return {
    runtime: engine.runtime,
    containers: { ...containerPartsOf(engine), removeUnusedFiles: () => files.removeUnused() },
    edge: swarm?.edge ?? alone,
    openPort: swarm?.openPort ?? (({ host, port }) => heldPort(use, host, port)),
    homeFolder: async () => homeIn(await outputOf(['printenv', 'HOME'])),
    async dismantle() {
      await (swarm ?? alone).dismantle();
      if (swarm)
        await (await import('./drivers/images/registry/remove-registry.ts')).removeRegistry(client, instanceId);
    },
    async close() {
      swarm?.close();
      alone.close();
      await engine.close();
    },
  };
}

/** Returns how a server that nothing was deployed to shall run projects: on its Swarm if it manages one of several
 * nodes. Undefined if its engine does not respond. */
export async function runtimeOn(use: UseSsh, instanceId: string): Promise<FoundRuntime | undefined> {
  const [{ EngineClient }, { engineOverSsh }, { swarmMembershipOf }] = await Promise.all([
    import('./drivers/runtime/docker/engine/client.ts'),
    import('./drivers/runtime/docker/engine/over-ssh.ts'),
    import('./drivers/runtime/swarm/swarm-of.ts'),
  ]);
  const client = new EngineClient(engineOverSsh(use));
  try {
    const { nodeId, members, hasContainers } = await swarmMembershipOf(client, instanceId);
    const runtime = members.length > 1 && !hasContainers ? 'swarm' : 'docker';
    return { runtime, swarmNodeId: nodeId, members, hasContainers };
  } catch (error) {
    if (error instanceof EngineAwayError) return undefined;
    throw error;
  } finally {
    client.close();
  }
}

function homeIn(text: string): string {
  const home = text.trim();
  if (!isAbsolute(home) || home.includes('\n')) throw new Error('the server has not told the home folder of its user');
  return home;
}
