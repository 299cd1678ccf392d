import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Config } from '../config.ts';
import { type Db, openDatabase } from '../db/database.ts';
import { removeIptables } from '../drivers/firewall/iptables/remove.ts';
import { EngineClient, engineAt } from '../drivers/runtime/docker/engine/client.ts';
import { type RemovedObjects, removeInstance } from '../drivers/runtime/docker/remove-instance.ts';
import { EngineAwayError } from '../drivers/runtime/errors.ts';
import { StartError } from '../errors.ts';
import { version } from '../version.ts';
import { stopEverything } from './stop.ts';

const run = promisify(execFile);

const programs = '/opt/mooring';
const settings = '/etc/mooring';
const command = '/usr/local/bin/mooring';
const user = 'mooring';
const unitFolder = '/etc/systemd/system';
const units = ['mooring-update.path', 'mooring-update.service', 'mooring.service'];

type Environment = Record<string, string | undefined>;
type Keep = { data: boolean; apps: boolean };

/** Removes everything that install.sh and Mooring have made on this machine, the running program last. */
export async function uninstall(config: Config, environment: Environment, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { 'keep-data': { type: 'boolean' }, 'keep-apps': { type: 'boolean' } },
  });
  const keep: Keep = { data: values['keep-data'] ?? false, apps: values['keep-apps'] ?? false };
  if (!import.meta.dirname.startsWith(`${programs}/`))
    throw new StartError(`this Mooring was not installed with install.sh; stop it and delete ${config.dataDir}`);
  if (process.getuid!() !== 0) throw new StartError('this needs root; run: sudo mooring uninstall');
  const placed = units.filter((unit) => existsSync(join(unitFolder, unit)));
  if (placed.length) await run('systemctl', ['disable', '--now', '--quiet', ...placed]);
  const inside = await removeApps(config, environment, keep);
  await removeIptables();
  for (const unit of placed) rmSync(join(unitFolder, unit));
  rmSync(join(unitFolder, 'mooring.service.d'), { recursive: true, force: true });
  await run('systemctl', ['daemon-reload']);
  if (!keep.data) {
    for (const folder of [config.dataDir, `${config.dataDir}-update`, settings])
      rmSync(folder, { recursive: true, force: true });
    await removeUser();
  }
  if (isOwnLink()) rmSync(command);
  rmSync(programs, { recursive: true });
  return [`Removed Mooring ${version}${inside.removed}.`, ...stays(config, keep, inside)].join('\n');
}

type Inside = { removed: string; servers: number; hasInstance: boolean };

/** Stops and removes what the instance of the data folder runs. */
async function removeApps(config: Config, environment: Environment, keep: Keep): Promise<Inside> {
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'mooring.db')))
    return { removed: '', servers: 0, hasInstance: false };
  const { db } = await openDatabase(config);
  try {
    const instance = await db.selectFrom('instance').select('id').executeTakeFirst();
    if (!instance) return { removed: '', servers: 0, hasInstance: false };
    // Containers that are kept do not stop. Processes always do: their programs and files go.
    await stopEverything(db, keep.apps ? { ...config, runtime: 'process' } : config, environment);
    const objects = keep.apps ? undefined : await removeObjects(config, instance.id, keep);
    return { removed: objects ? inWords(objects) : '', servers: await countServers(db), hasInstance: true };
  } finally {
    await db.destroy();
  }
}

async function removeObjects(config: Config, instanceId: string, keep: Keep): Promise<RemovedObjects | undefined> {
  // Created with the first use of an engine.
  if (config.runtime === 'process' || !existsSync(join(config.dataDir, 'containers'))) return undefined;
  const engine = new EngineClient(engineAt(config.dockerHost));
  try {
    return await removeInstance(engine, instanceId, { withVolumes: !keep.data });
  } catch (error) {
    if (!(error instanceof EngineAwayError)) throw error;
    throw new StartError(`${error.message}. Start Docker and run this again, or add --keep-apps`);
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

function stays(config: Config, keep: Keep, { servers, hasInstance }: Inside): string[] {
  return [
    'What stays:',
    ...(keep.data
      ? [`- the data in ${config.dataDir} and the settings in ${settings}; install.sh continues with them`]
      : []),
    ...(keep.data && config.runtime !== 'process' ? ['- the volumes in Docker'] : []),
    ...(keep.apps ? ['- the containers of apps, without an edge in front of them'] : []),
    ...(config.databaseUrl && hasInstance ? ['- the PostgreSQL database of DATABASE_URL'] : []),
    ...(servers ? [`- apps on ${servers} ${servers === 1 ? 'server' : 'servers'}, with their edge`] : []),
    '- packages such as git and Docker, pulled images, and the log in the journal',
  ];
}
