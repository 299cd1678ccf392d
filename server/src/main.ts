import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { createApp, machineNotices } from './app.ts';
import { cloudFirewall } from './cloud-firewall.ts';
import { readConfig, unknownVariables } from './config.ts';
import { openDatabase } from './db/database.ts';
import { hasInstance, openInstance } from './db/instance.ts';
import { StartError } from './errors.ts';
import { lockDataDir } from './lib/data-dir.ts';
import { closeInheritedDescriptors } from './lib/inherited-descriptors.ts';
import { createLog, type Log } from './lib/log.ts';
import { replicaId } from './lib/replica-id.ts';
import type { FirewallUpkeep } from './drivers/firewall/firewall-upkeep.ts';
import type { Edge } from './drivers/edge/edge.ts';
import type { Runtime } from './drivers/runtime/runtime.ts';
import { createSealer } from './lib/seal.ts';
import { instanceKeys } from './instance-keys.ts';
import { localDrivers } from './local-drivers.ts';
import { version } from './version.ts';
import type { App, Drivers } from './app.ts';
import type { Config } from './config.ts';

const edgeWatchMs = 5000;
// Delays restarts of an edge that fails to start.
const edgePauseMs = 500;

await start().catch((error: Error) => {
  process.stderr.write(`mooring: ${error instanceof StartError ? error.message : error.stack}\n`);
  process.exit(1);
});

async function start(): Promise<void> {
  const began = performance.timeOrigin;
  closeInheritedDescriptors();
  const config = readConfig(process.env);
  const log = createLog(
    config.logLevel,
    config.logFormat === 'json' || (config.logFormat === 'auto' && !process.stdout.isTTY) ? 'json' : 'text',
  );
  for (const name of unknownVariables(process.env))
    log.warn(`${name} is not a setting of Mooring; see docs/reference/configuration.md`);
  const warn = (message: string) => log.warn(message);
  const lock = lockDataDir(config.dataDir, warn);
  const keys = instanceKeys(config);
  const database = await openDatabase({ ...config, warn });
  if (!(await hasInstance(database.db))) keys.file?.create();
  const sealer = createSealer(keys);
  const { id: instanceId } = await openInstance(database.db, sealer);
  // Before any app runs or is reachable.
  const firewall = await cloudFirewall(config, log);
  const drivers = await localDrivers(config, instanceId, process.env, warn);
  const app = createApp({
    config,
    database,
    sealer,
    instanceId,
    owner: replicaId(config.dataDir),
    drivers,
    log,
    openApiFile: join(import.meta.dirname, '../openapi.json'),
    webFolder: join(import.meta.dirname, '../../web/dist'),
  });
  const created = await setUpUnattended(app, config);
  const url = await listen(app, config);
  app.access.links.setBase(config.publicUrl ?? url);
  lock.announce(url);
  stopOnSignal(app, drivers, async () => {
    await firewall?.stop();
    await drivers.close();
    await database.db.destroy();
    lock.release();
  });
  process.stdout.write(
    `${styleText('bold', `Mooring ${version}`)} is ready at ${url} (${Math.round(Date.now() - began)} ms)\n`,
  );
  if (created) process.stdout.write(`The owner ${created} was created from the environment.\n`);
  else await offerSetUp(app);
  for (const notice of machineNotices({ config, drivers })) process.stdout.write(`${notice}\n`);
  await startWork(app, drivers, { own: ownAddress(app, config), log, firewall });
}

type Surroundings = { own: Address; log: Log; firewall: FirewallUpkeep | undefined };

/** Starts even without an edge: apps are unreachable then, but everything else works and the log shows the error. */
async function startWork(
  { domains, deployments, migration, cloud }: App,
  drivers: Drivers,
  { own, log, firewall }: Surroundings,
): Promise<void> {
  await ensureEdge(drivers.edge, own, log);
  void keepEdge(drivers.edge, own, log);
  domains.start();
  drivers.watch(() => {
    // An engine recreates its rules when it starts.
    firewall?.soon();
    deployments.lookAfter();
  });
  await deployments.start();
  migration.start();
  cloud.start();
}

/** Starts the edge and gives it our address: it forwards ACME challenges to the service. */
async function ensureEdge(edge: Edge, own: Address, log: Log): Promise<void> {
  try {
    await edge.ensure();
    await edge.answerChallengesAt(own);
  } catch (error) {
    log.error(`the edge does not run: ${(error as Error).message}`);
  }
}

/** Restarts the edge process with its previous routes whenever it dies. */
async function keepEdge(edge: Edge, own: Address, log: Log): Promise<never> {
  for (;;) {
    await sleep(edgePauseMs);
    await Promise.race([edge.gone(), sleep(edgeWatchMs)]);
    await ensureEdge(edge, own, log);
  }
}

type Address = { host: string; port: number };

/** Returns the service's address as seen from this machine. */
function ownAddress(app: App, { host }: Config): Address {
  const { port } = app.server.server.address() as AddressInfo;
  return { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port };
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    await app.server.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new StartError(`PORT: ${port} is in use on ${host}; choose another one`);
    throw new StartError(`cannot listen on ${host}:${port}: ${message}`);
  }
  const { port: listening } = app.server.server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${listening}`;
}

/** Creates the first owner from the environment before the API accepts requests. Returns their email if created. */
async function setUpUnattended(
  { access }: App,
  { adminEmail, adminPassword, adminToken }: Config,
): Promise<string | undefined> {
  if (!(adminEmail || adminToken) || !(await access.setup.isNeeded())) return undefined;
  const email = (adminEmail ?? 'admin@localhost').toLowerCase();
  const owner = { email, name: 'Owner', password: adminPassword ?? null, organizationName: 'My organization' };
  return (await access.setup.unattended(owner, adminToken)) ? email : undefined;
}

/** Prints a setup link for the first owner. Only readers of this output have it. */
async function offerSetUp({ access }: App): Promise<void> {
  if (!(await access.setup.isNeeded())) return;
  const link = access.links.setup(await access.setup.offerCode());
  process.stdout.write(`Create the owner of this instance within a day (the link works once):\n  ${link}\n`);
}

/** Stops within five seconds, whatever hangs. */
function stopOnSignal(app: App, { runtime }: Drivers, release: () => Promise<void>): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    // A database or engine may hang; all important state is already on disk.
    setTimeout(() => process.exit(1), 4800).unref();
    process.stdout.write(`Mooring is stopping. ${await whatGoesOn(runtime)}\n`);
    await app.stop();
    await release();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      stop().catch((error: Error) => {
        process.stderr.write(`mooring: stopping failed: ${error.stack}\n`);
        process.exit(1);
      });
    });
  // Keep serving when stdout is closed, as after `npm start | head`.
  process.stdout.on('error', () => {});
}

/** Says what keeps running: apps and the edge outlive the service. */
async function whatGoesOn(runtime: Runtime): Promise<string> {
  const all = await Promise.race([runtime.list(), sleep(1000, undefined, { ref: false })]);
  if (!all) return 'Deployed apps keep running.';
  const count = all.filter(({ state }) => state === 'running').length;
  const apps = count ? ` and ${count} ${count === 1 ? 'app' : 'apps'}` : '';
  return `The edge${apps} keep running; \`npm run stop\` stops them too.`
    .replace('edge keep', 'edge keeps')
    .replace('stops them', count ? 'stops them' : 'stops it');
}
