import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Config } from '../config.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { edgeFilesOf } from '../drivers/edge/builtin/protocol.ts';
import { removeIptables } from '../drivers/firewall/iptables/remove.ts';
import { EngineClient, engineAt } from '../drivers/runtime/docker/engine/client.ts';
import { type RemovedObjects, removeInstance } from '../drivers/runtime/docker/remove-instance.ts';
import { EngineAwayError } from '../drivers/runtime/errors.ts';
import { StartError } from '../errors.ts';
import { version } from '../version.ts';
import { installedPrograms as programs } from './environment-file.ts';
import { removeFolder } from './remove-folder.ts';
import { heldDeployments, type RunningInstance, stopInstance } from './stop.ts';

const run = promisify(execFile);

const settings = '/etc/mooring';
const command = '/usr/local/bin/mooring';
const user = 'mooring';
const unitFolder = '/etc/systemd/system';
const units = ['mooring-update.path', 'mooring-update.service', 'mooring.service'];

type Environment = Record<string, string | undefined>;
type Keep = { data: boolean; apps: boolean };

/** What could not be removed, with the reason. */
class Failures {
  readonly lines: string[] = [];

  /** Runs a step. If it fails, the others run nevertheless. */
  async attempt<T>(what: string, act: () => Promise<T> | T): Promise<T | undefined> {
    try {
      return await act();
    } catch (error) {
      this.lines.push(`- ${what}: ${(error as Error).message.trim()}`);
      return undefined;
    }
  }
}

export type Uninstalled = { message: string; isComplete: boolean };

/** Removes everything that install.sh and Mooring have made on this machine, the running program last. */
export async function uninstall(config: Config, args: string[], environment: Environment): Promise<Uninstalled> {
  const { values } = parseArgs({
    args,
    options: { 'keep-data': { type: 'boolean' }, 'keep-apps': { type: 'boolean' } },
  });
  const keep: Keep = { data: values['keep-data'] ?? false, apps: values['keep-apps'] ?? false };
  if (!import.meta.dirname.startsWith(`${programs}/`))
    throw new StartError(`this Mooring was not installed with install.sh; stop it and delete ${config.dataDir}`);
  if (process.getuid!() !== 0) throw new StartError('this needs root; run: sudo mooring uninstall');
  const failures = new Failures();
  const placed = units.filter((unit) => existsSync(join(unitFolder, unit)));
  if (placed.length)
    await failures.attempt('the service', () => run('systemctl', ['disable', '--now', '--quiet', ...placed]));
  const found = await findInstance(config);
  const objects = await failures.attempt('apps', () => removeApps(found, config, environment, keep, failures));
  // Whatever the service left running: a backup, or the edge and apps of an instance that cannot be read.
  await run('systemctl', ['kill', '--kill-who=all', '--signal=KILL', 'mooring.service']).catch(() => {});
  await failures.attempt('rules in iptables', () => removeIptables());
  await failures.attempt('the systemd units', () => removeUnits(placed));
  const mounts: string[] = [];
  const folders = keep.data ? [] : [config.dataDir, `${config.dataDir}-update`, settings];
  for (const folder of folders) mounts.push(...((await failures.attempt(folder, () => removeFolder(folder))) ?? []));
  if (!keep.data) await failures.attempt(`the user ${user}`, removeUser);
  await failures.attempt(command, () => isOwnLink() && rmSync(command));
  mounts.push(...((await failures.attempt(programs, () => removeFolder(programs))) ?? []));
  const message = [
    `Removed Mooring ${version}${objects ? inWords(objects) : ''}.`,
    ...stays(config, keep, found, mounts),
    ...(failures.lines.length ? ['Not removed:', ...failures.lines] : []),
  ].join('\n');
  return { message, isComplete: failures.lines.length === 0 };
}

async function removeUnits(placed: string[]): Promise<void> {
  for (const unit of placed) rmSync(join(unitFolder, unit));
  rmSync(join(unitFolder, 'mooring.service.d'), { recursive: true, force: true });
  await run('systemctl', ['daemon-reload']);
}

type Found = { instance?: RunningInstance; servers: number; /** Why the database cannot be read. */ trouble?: string };

/** Looks for the instance of the data folder. An older service may have used the database, so it is not migrated. */
async function findInstance(config: Config): Promise<Found> {
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'mooring.db'))) return { servers: 0 };
  try {
    const { db } = await openDatabase({ ...config, migrates: false });
    try {
      const found = await db.selectFrom('instance').select('id').executeTakeFirst();
      if (!found) return { servers: 0 };
      const builds = await heldDeployments(db);
      return { instance: { id: found.id, builds }, servers: await countServers(db) };
    } finally {
      await db.destroy();
    }
  } catch (error) {
    const id = instanceOfEdge(config.dataDir);
    const { message, code } = error as NodeJS.ErrnoException;
    return { ...(id && { instance: { id, builds: [] } }), servers: 0, trouble: message || String(code) };
  }
}

/** The edge stores for which instance it runs. */
function instanceOfEdge(dataDir: string): string | undefined {
  try {
    const { instanceId } = JSON.parse(readFileSync(edgeFilesOf(dataDir).state, 'utf8')) as { instanceId?: unknown };
    return typeof instanceId === 'string' && /^[\w-]+$/.test(instanceId) ? instanceId : undefined;
  } catch {
    return undefined;
  }
}

/** Stops and removes what the instance runs. Containers that are kept do not stop. Processes always do: their programs
 * and files go. */
async function removeApps(
  { instance, trouble }: Found,
  config: Config,
  environment: Environment,
  keep: Keep,
  failures: Failures,
): Promise<RemovedObjects | undefined> {
  if (!instance) {
    if (trouble && config.runtime !== 'process' && !keep.apps)
      throw new Error(
        `containers, networks and volumes in Docker stay, because the database cannot be read: ${trouble}`,
      );
    return undefined;
  }
  await failures.attempt('processes', () => stopInstance(instance, { ...config, runtime: 'process' }, environment));
  return keep.apps ? undefined : removeObjects(config, instance.id, keep);
}

async function removeObjects(config: Config, instanceId: string, keep: Keep): Promise<RemovedObjects | undefined> {
  // Created with the first use of an engine.
  if (config.runtime === 'process' || !existsSync(join(config.dataDir, 'containers'))) return undefined;
  const engine = new EngineClient(engineAt(config.dockerHost));
  try {
    return await removeInstance(engine, instanceId, { withVolumes: !keep.data });
  } catch (error) {
    if (!(error instanceof EngineAwayError)) throw error;
    const filter = `--filter label=mooring.instance=${instanceId}`;
    const what = ['ps --all', 'network ls', 'volume ls'].map((list) => `docker ${list} ${filter}`).join(', ');
    throw new Error(`${error.message}. Start Docker and remove what these commands list: ${what}`, { cause: error });
  } finally {
    engine.close();
  }
}

async function countServers(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('servers')
    .select((the) => the.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function inWords(objects: RemovedObjects): string {
  const counted = Object.entries(objects).filter(([, count]) => count > 0);
  return counted.map(([name, count]) => `, ${count} ${count === 1 ? name.slice(0, -1) : name}`).join('');
}

/** It exists only with Docker; with processes, the service runs as root. */
async function removeUser(): Promise<void> {
  try {
    await run('getent', ['passwd', user]);
  } catch {
    return;
  }
  await run('userdel', [user]);
}

function isOwnLink(): boolean {
  const link = lstatSync(command, { throwIfNoEntry: false });
  return Boolean(link?.isSymbolicLink()) && readlinkSync(command).startsWith(`${programs}/`);
}

function stays(config: Config, keep: Keep, { instance, servers, trouble }: Found, mounts: string[]): string[] {
  const unknown = trouble ? `, which cannot be read: ${trouble}. It names the servers whose apps keep running` : '';
  return [
    'What stays:',
    ...(keep.data
      ? [`- the data in ${config.dataDir} and the settings in ${settings}; install.sh continues with them`]
      : []),
    ...mounts.map((folder) => `- the empty folder ${folder}, because a disk is mounted there`),
    ...(keep.data && config.runtime !== 'process' ? ['- the volumes in Docker'] : []),
    ...(keep.apps ? ['- the containers of apps, without an edge in front of them'] : []),
    ...(config.databaseUrl && (instance || trouble) ? [`- the PostgreSQL database of DATABASE_URL${unknown}`] : []),
    ...(trouble && !config.databaseUrl ? [`- apps on servers, if any: the database cannot be read: ${trouble}`] : []),
    ...(servers ? [`- apps on ${servers} ${servers === 1 ? 'server' : 'servers'}, with their edge`] : []),
    '- packages such as git and Docker, pulled images, and the log in the journal',
  ];
}
