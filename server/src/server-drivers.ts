import { isAbsolute } from 'node:path';
import type { ReachedServer, ServerDrivers } from './areas/deployments/engine/server-machines.ts';
import { containerPartsOf, driversOf } from './container-engine.ts';
import type { Bundle } from './drivers/edge/on-server/server-edge.ts';
import { collect } from './drivers/ssh/collect.ts';
import { heldPort } from './drivers/ssh/held-socket.ts';

const readingMs = 5000;

export type DriverLog = Record<'info' | 'warn', (message: string) => void>;

type Options = {
  /** Programs that run on the server. */
  bundle: Bundle;
  instanceId: string;
  buildArgs: Record<string, string>;
  log: DriverLog;
};

/** Creates the drivers of a server: its container engine, and the built-in edge in a container, over one connection. */
export async function serverDrivers(server: ReachedServer, options: Options): Promise<ServerDrivers> {
  const { instanceId, bundle, buildArgs, log } = options;
  const { name, use, folder, onChange } = server;
  const [{ EngineClient }, { engineOverSsh }, { ShippedFiles }, { createServerEdge }] = await Promise.all([
    import('./drivers/runtime/docker/engine/client.ts'),
    import('./drivers/runtime/docker/engine/over-ssh.ts'),
    import('./drivers/runtime/docker/shipping/shipped-files.ts'),
    import('./drivers/edge/on-server/server-edge.ts'),
  ]);
  const outputOf = async (command: string[]) => {
    const signal = AbortSignal.timeout(readingMs);
    return (await use((connection) => collect(connection, command, signal), { signal })).stdout;
  };
  const connect = engineOverSsh(use);
  const client = new EngineClient(connect);
  const report = (what: string, error?: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    if (error === undefined) log.info(`${what} (${name})`);
    else log.warn(`${what} on ${name}: ${reason}`);
  };
  const files = new ShippedFiles(client, instanceId, folder);
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
  });
  engine.runtime.watch();
  const settings = { host: '0.0.0.0', ...server.edge, publicPort: null, publicTlsPort: null };
  const edge = createServerEdge({ engine: client, instanceId, settings, bundle, report });
  return {
    runtime: engine.runtime,
    containers: { ...containerPartsOf(engine), removeUnusedFiles: () => files.removeUnused() },
    edge,
    openPort: ({ host, port }) => heldPort(use, host, port),
    homeFolder: async () => homeIn(await outputOf(['printenv', 'HOME'])),
    dismantle: () => edge.dismantle(),
    async close() {
      edge.close();
      await engine.close();
    },
  };
}

function homeIn(text: string): string {
  const home = text.trim();
  if (!isAbsolute(home) || home.includes('\n')) throw new Error('the server has not told the home folder of its user');
  return home;
}
