import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Config, serviceSocketOf } from './config.ts';
import type { Bundle } from './drivers/edge/on-server/server-edge.ts';
import { createServerEdge, type ServerEdge } from './drivers/edge/on-server/server-edge.ts';
import { edgeContainerName } from './drivers/edge/on-server/container-body.ts';
import type { OpenPort } from './drivers/host/open-port.ts';
import { EngineClient, engineAt } from './drivers/runtime/docker/engine/client.ts';
import { joinNetworks } from './drivers/runtime/swarm/join-networks.ts';
import { openPortThrough } from './drivers/runtime/swarm/open-port.ts';
import { OverlayNetworks } from './drivers/runtime/swarm/overlay-networks.ts';
import type { DriverLog } from './server-drivers.ts';

export interface SwarmDrivers {
  edge: ServerEdge;
  openPort: OpenPort;
  close(): void;
}

/** Creates the drivers that reach services of a Swarm. Their networks are closed to this machine, so the edge runs in a
 * container that joins them. */
export async function swarmDrivers(
  config: Config,
  instanceId: string,
  bundle: Bundle,
  log: DriverLog,
): Promise<SwarmDrivers> {
  const engine = new EngineClient(engineAt(config.dockerHost));
  const networks = new OverlayNetworks(engine, instanceId);
  const { edgeHost: host, edgePort: port, edgeTlsPort: tlsPort } = config;
  const ports = { publicPort: config.edgePublicPort ?? null, publicTlsPort: config.edgePublicTlsPort ?? null };
  const socketFolder = dirname(serviceSocketOf(config));
  mkdirSync(socketFolder, { recursive: true, mode: 0o700 });
  const edge = createServerEdge({
    engine,
    instanceId,
    settings: { host, port, tlsPort, ...ports },
    bundle,
    report: (what, error) =>
      error === undefined ? log.info(what) : log.warn(`${what}: ${error instanceof Error ? error.message : 'unknown'}`),
    published: {
      socketFolder,
      onCreated: async (container) => {
        const known = (await networks.list()).map(({ Id }) => Id);
        await joinNetworks(engine, container, known);
      },
    },
  });
  const container = edgeContainerName(instanceId);
  return {
    edge,
    async openPort(at, signal) {
      const [node] = (await engine.json<Entry>({ method: 'GET', path: `/containers/${container}/json` })).Config
        .Entrypoint;
      return openPortThrough({ engine, container, node }, at, signal);
    },
    close() {
      edge.close();
      engine.close();
    },
  };
}

type Entry = { Config: { Entrypoint: [string] } };
