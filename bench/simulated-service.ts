// Two replicas of the real control plane in one process, on PostgreSQL. Servers exist in memory only: both replicas
// see the same ones, as they would see the same machines. Receives JSON lines, answers with JSON lines.
import { Duplex } from 'node:stream';
import { createInterface } from 'node:readline';
import type { AddressInfo } from 'node:net';
import { createApp, type Drivers } from '../server/src/app.ts';
import type { ReachedServer, ServerDrivers } from '../server/src/areas/deployments/engine/server-machines.ts';
import { readConfig } from '../server/src/config.ts';
import { openDatabase } from '../server/src/db/database.ts';
import { openInstance } from '../server/src/db/instance.ts';
import { createMemoryEdge } from '../server/src/drivers/edge/memory.ts';
import { createMemoryRuntime } from '../server/src/drivers/runtime/memory.ts';
import { createLog } from '../server/src/lib/log.ts';
import { createSealer } from '../server/src/lib/seal.ts';
import { memoryDrivers } from '../server/test/rig/drivers.ts';
import { instanceKeys } from '../server/src/instance-keys.ts';
import { seedProjects } from './simulated-projects.ts';

/** Answers every request, as a healthy app does. */
const openPort = async (): Promise<Duplex> => {
  const app: Duplex = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      app.push('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      app.push(null);
      done();
    },
  });
  return app;
};

const onServers = new Map<string, ServerDrivers>();

async function onServer({ id }: ReachedServer): Promise<ServerDrivers> {
  const known = onServers.get(id);
  if (known) return known;
  const made: ServerDrivers = {
    runtime: createMemoryRuntime(),
    // Without an engine an app is a folder, so that nothing is built.
    containers: undefined as never,
    edge: createMemoryEdge(),
    openPort,
    homeFolder: async () => '/root',
    dismantle: async () => {},
    close: async () => {},
  };
  onServers.set(id, made);
  return made;
}

const shared = memoryDrivers();
const drivers: Drivers = { ...shared, openPort, onServer };

async function startReplica(name: string) {
  const config = readConfig(process.env);
  const database = await openDatabase({ ...config, warn: (message) => process.stderr.write(`${message}\n`) });
  const keys = instanceKeys(config);
  const sealer = createSealer(keys);
  const { id: instanceId } = await openInstance(database.db, sealer);
  const log = createLog('error', 'json');
  const app = createApp({
    config,
    database,
    sealer,
    instanceId,
    owner: name,
    drivers,
    log,
    openApiFile: '',
    webFolder: '',
  });
  const owner = { email: 'owner@example.com', name: 'Owner', password: null, organizationName: 'Simulated' };
  if (await app.access.setup.isNeeded()) await app.access.setup.unattended(owner, config.adminToken);
  await app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.server.address() as AddressInfo;
  return { app, database, sealer, url: `http://127.0.0.1:${port}` };
}

const replicas = [await startReplica('a'), await startReplica('b')];
const answer = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
answer({ urls: replicas.map(({ url }) => url) });

const orders: Record<string, (order: never) => Promise<object>> = {
  seed: async (order: { projectId: string; servers: string[]; count: number }) => {
    const [{ database, sealer }] = replicas as [(typeof replicas)[0]];
    return seedProjects(database.db, sealer, order);
  },
  start: async () => {
    await Promise.all(
      replicas.map(async ({ app }) => {
        app.domains.start();
        await app.deployments.start();
        app.backups.start();
        app.migration.start();
      }),
    );
    return {};
  },
  usage: async () => ({ cpu: process.cpuUsage(), memory: process.memoryUsage.rss(), ...(await running()) }),
};

async function running(): Promise<{ instances: number; routed: number }> {
  const servers = [...onServers.values()];
  const lists = await Promise.all(servers.map(({ runtime }) => runtime.list()));
  const routes = await Promise.all(servers.map(({ edge }) => edge.list()));
  return { instances: lists.flat().length, routed: routes.flat().length };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { what, ...order } = JSON.parse(line) as { what: string };
  answer(await orders[what]!(order as never));
}
process.exit(0);
