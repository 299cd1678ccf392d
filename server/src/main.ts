import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';
import { createApp, machineNotices } from './app.ts';
import { cloudFirewall } from './cloud-firewall.ts';
import { readConfig, serviceSocketOf, unknownVariables } from './config.ts';
import { openDatabase } from './db/database.ts';
import { hasInstance, openInstance, registryPassword } from './db/instance.ts';
import { StartError } from './errors.ts';
import { type DashboardName, withdrawDashboard } from './areas/domains/dashboard/dashboard-name.ts';
import { listenBacklog, listenForEdge } from './http/edge-socket.ts';
import { lockDataDir } from './lib/data-dir.ts';
import { closeInheritedDescriptors } from './lib/inherited-descriptors.ts';
import { createLog, type Log } from './lib/log.ts';
import { replicaId } from './lib/replica-id.ts';
import { finishRestore, requireNoHalfRestore } from './lib/restore-marks.ts';
import type { FirewallUpkeep } from './drivers/firewall/firewall-upkeep.ts';
import type { Edge } from './drivers/edge/edge.ts';
import type { Runtime } from './drivers/runtime/runtime.ts';
import { createSealer } from './lib/seal.ts';
import { instanceKeys } from './instance-keys.ts';
import { isolationHere, localDrivers } from './local-drivers.ts';
import { environmentForCommands, installedPrograms } from './operator/environment-file.ts';
import { NightlyBackup, runBackupProgram } from './operator/nightly-backup.ts';
import { version } from './version.ts';
import type { App, Drivers } from './app.ts';
import type { Config } from './config.ts';

const edgeWatchMs = 5000;
// Delays restarts of an edge that fails to start.
const edgePauseMs = 500;
/** How long requests to the dashboard wait at the edge for the next start. */
const restartMs = 10_000;
const drainMs = 500;

start().catch((error: Error) => {
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
  requireNoHalfRestore(config.dataDir);
  await finishRestore(config.dataDir);
  const keys = instanceKeys(config);
  // Waits for commands, while the rest goes on. What runs something of a project waits for it.
  const isolation = isolationHere(config, process.env);
  // Thrown before the service listens.
  isolation.catch(() => {});
  const database = await openDatabase({
    ...config,
    warn,
    onMigration: (line) => process.stdout.write(`${line}\n`),
  });
  if (!(await hasInstance(database.db))) keys.file?.create();
  const sealer = createSealer(keys);
  const { id: instanceId } = await openInstance(database.db, sealer);
  // Before any app runs or is reachable.
  const firewall = await cloudFirewall(config, log);
  const driverLog = { info: (message: string) => log.info(message), warn };
  const drivers = await localDrivers(config, instanceId, isolation, process.env, driverLog, () =>
    registryPassword(database.db, sealer),
  );
  const program: [string, string] = [process.execPath, join(import.meta.dirname, 'maintenance.js')];
  const environment = environmentForCommands(process.env);
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
    makeInstanceBackup: async (folder, signal) =>
      (await runBackupProgram({ program, environment }, ['--to', folder], signal)).place,
  });
  const nightly = new NightlyBackup({
    database,
    config,
    log,
    owner: replicaId(config.dataDir),
    instanceId,
    program,
    environment,
  });
  const created = await setUpUnattended(app, config);
  const { dashboard } = app.domains;
  await dashboard?.refresh();
  await Promise.all([app.server.ready(), isolation]);
  const url = await listen(app, config);
  const socketPath = serviceSocketOf(config);
  const edgeSocket = dashboard && (await listenForEdge(app.server.server, socketPath));
  app.access.links.setBase(config.publicUrl ?? url);
  lock.announce(url);
  stopOnSignal(app, drivers, {
    drainSeconds: config.drainSeconds,
    async before() {
      await pauseDashboard(app, log);
      edgeSocket?.close();
    },
    async release() {
      await nightly.stop();
      await firewall?.stop();
      await drivers.close();
      await database.db.destroy();
      lock.release();
    },
  });
  process.stdout.write(
    `${styleText('bold', `Mooring ${version}`)} is ready at ${url} (${Math.round(Date.now() - began)} ms)\n`,
  );
  if (created) process.stdout.write(`The owner ${created} was created from the environment.\n`);
  else await offerSetUp(app);
  for (const notice of await machineNotices({ config, drivers })) process.stdout.write(`${notice}\n`);
  await startWork(app, drivers, { own: { ...ownAddress(app, config), socketPath }, log, firewall });
  nightly.start();
}

type Surroundings = { own: ServiceAddress; log: Log; firewall: FirewallUpkeep | undefined };

/** Starts even without an edge: apps are unreachable then, but everything else works and the log shows the error. */
async function startWork(
  { domains, deployments, backups, migration, cloud, updates, readPages }: App,
  drivers: Drivers,
  { own, log, firewall }: Surroundings,
): Promise<void> {
  const { dashboard } = domains;
  const edge = { edge: drivers.edge, dashboard, own, log };
  await ensureEdge(edge);
  void keepEdge(edge, await routeDashboard(edge));
  domains.start();
  drivers.watch(() => {
    // An engine recreates its rules when it starts.
    firewall?.soon();
    deployments.reconcileSoon();
  });
  await deployments.start();
  migration.start();
  backups.start();
  cloud.start();
  updates.start();
  readPages();
}

type EdgeWork = { edge: Edge; dashboard: DashboardName | undefined; own: ServiceAddress; log: Log };

/** Starts the edge and gives it our address: it forwards ACME challenges to the service. */
async function ensureEdge({ edge, own: { host, port }, log }: EdgeWork): Promise<void> {
  try {
    await edge.ensure();
    await edge.answerChallengesAt({ host, port });
  } catch (error) {
    log.error(`the edge does not run: ${(error as Error).message}`);
  }
}

/** Routes the dashboard's name to the service. Returns false while a project still has the name, or without an edge. */
async function routeDashboard({ edge, dashboard, own, log }: EdgeWork): Promise<boolean> {
  try {
    await (dashboard ? dashboard.route(own) : withdrawDashboard(edge));
    return true;
  } catch (error) {
    if (dashboard) log.warn(`the edge does not route the dashboard yet: ${(error as Error).message}`);
    return false;
  }
}

/** Restarts the edge process with its previous routes whenever it dies. */
async function keepEdge(work: EdgeWork, isRouted: boolean): Promise<never> {
  for (let done = isRouted; ;) {
    await sleep(edgePauseMs);
    await Promise.race([work.edge.gone(), sleep(edgeWatchMs)]);
    await ensureEdge(work);
    done ||= await routeDashboard(work);
  }
}

/** Lets requests wait at the edge while the service restarts. */
async function pauseDashboard({ domains: { dashboard } }: App, log: Log): Promise<void> {
  const paused = dashboard?.pause({ withinMs: restartMs, drainMs }) ?? Promise.resolve();
  const reported = paused.catch((error: Error) => log.warn(`the edge does not hold requests: ${error.message}`));
  await Promise.race([reported, sleep(2 * drainMs, undefined, { ref: false })]);
}

type Address = { host: string; port: number };
type ServiceAddress = Address & { socketPath: string };

/** Returns the service's address as seen from this machine. */
function ownAddress(app: App, { host }: Config): Address {
  const { port } = app.server.server.address() as AddressInfo;
  return { host: host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host, port };
}

async function listen(app: App, { host, port }: Config): Promise<string> {
  const { log } = app.server;
  const { level } = log;
  try {
    // Fastify logs each address; we print one line for people.
    log.level = 'warn';
    await app.server.listen({ host, port, backlog: listenBacklog });
    log.level = level;
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
async function offerSetUp({ access, domains: { dashboard } }: App): Promise<void> {
  if (!(await access.setup.isNeeded())) return;
  const link = access.links.setup(await access.setup.offerCode());
  const offer = 'Create the owner of this instance within a day (the link works once):';
  if (!dashboard || dashboard.hasCertificate) return void process.stdout.write(`${offer}\n  ${link}\n`);
  const { origin } = new URL(link);
  const plain = dashboard.plainUrls().map((url) => `  ${link.replace(origin, url)}\n`);
  const note = `The certificate of ${dashboard.host} is not issued yet, so these connections are not encrypted.`;
  process.stdout.write(`${offer}\n${plain.join('')}${note}\n`);
  void dashboard.issued.then(async () => {
    if (await access.setup.isNeeded())
      process.stdout.write(`The certificate of ${dashboard.host} is issued. The set-up link is now:\n  ${link}\n`);
  });
}

type Stopping = { before: () => Promise<void>; release: () => Promise<void>; drainSeconds: number };

/** Drains first, if so configured. Then stops within five seconds, whatever hangs. */
function stopOnSignal(app: App, { runtime }: Drivers, { before, release, drainSeconds }: Stopping): void {
  const again = new AbortController();
  let stopping = false;
  const stop = async () => {
    if (stopping) return again.abort();
    stopping = true;
    if (drainSeconds) await drain(app, drainSeconds, again.signal);
    // A database or engine may hang; all important state is already on disk.
    setTimeout(() => process.exit(1), 4800).unref();
    process.stdout.write(`Mooring is stopping. ${await runningNotice(runtime)}\n`);
    await before();
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

/** Goes on answering until the load balancer sends requests elsewhere. */
async function drain(app: App, seconds: number, signal: AbortSignal): Promise<void> {
  process.stdout.write(`Mooring stops in ${seconds} s. Its health check fails from now on.\n`);
  app.drain();
  await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
}

/** Apps and the edge outlive the service. */
async function runningNotice(runtime: Runtime): Promise<string> {
  const all = await Promise.race([runtime.list(), sleep(1000, undefined, { ref: false })]);
  if (!all) return 'Deployed apps keep running.';
  const count = all.filter(({ state }) => state === 'running').length;
  const stop = import.meta.dirname.startsWith(`${installedPrograms}/`) ? 'mooring stop' : 'npm run stop';
  if (!count) return `The edge keeps running. To stop it: ${stop}`;
  return `The edge and ${count === 1 ? '1 app' : `${count} apps`} keep running. To stop them: ${stop}`;
}
