import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { selectBackupState } from '../../areas/backups/instance/state.ts';
import { fetchLatest } from '../../areas/instance/port.ts';
import { appliedMigrations } from '../../db/migrate.ts';
import { EngineClient, engineAt } from '../../drivers/runtime/docker/engine/client.ts';
import { compareVersions, haveOrder, noOrder } from '../../lib/version-order.ts';
import { version } from '../../version.ts';
import { backupKeyFile } from '../backup-key.ts';
import { type Check, type Finding, ok, problem, warning } from './finding.ts';

const gigabyte = 1e9;
const day = 86_400_000;

export const checkDisk: Check = async ({ config: { dataDir } }) => {
  const { bavail, blocks, bsize, ffree, files } = await statfs(dataDir);
  const free = bavail * bsize;
  const message = `${(free / gigabyte).toFixed(1)} GB of ${((blocks * bsize) / gigabyte).toFixed(1)} GB are free in ${dataDir}`;
  const fix = 'docker system prune; mooring deployments, and lower the rollback window of projects';
  if (free < 0.5 * gigabyte) return [problem('disk', message, fix)];
  if (files > 0 && ffree / files < 0.02) return [problem('disk', 'the file system has hardly any inodes left', fix)];
  return [free < 3 * gigabyte || bavail / blocks < 0.05 ? warning('disk', message, fix) : ok('disk', message)];
};

export const checkEngine: Check = async ({ config }) => {
  const { runtime, dockerHost } = config;
  const check = 'container engine';
  if (runtime === 'process') return [ok(check, 'apps run as processes (MOORING_RUNTIME=process)')];
  const socket = dockerHost.startsWith('unix://') ? dockerHost.slice('unix://'.length) : undefined;
  if (socket !== undefined && !existsSync(socket)) {
    if (runtime === 'auto' && !existsSync(join(config.dataDir, 'containers')))
      return [ok(check, 'there is none, so apps run as processes')];
    return [problem(check, `there is no engine at ${socket}`, 'systemctl start docker')];
  }
  try {
    const engine = new EngineClient(engineAt(dockerHost));
    const { Version } = await engine.json<{ Version: string }>({ method: 'GET', path: '/version' });
    const findings = [ok(check, `Docker ${Version} responds`)];
    const mode = socket === undefined ? 0 : statSync(socket).mode;
    if (mode & 0o006)
      findings.push(
        problem(
          'engine access',
          `every user of this machine may use ${socket}, which makes them root`,
          `chmod 660 ${socket}`,
        ),
      );
    return findings;
  } catch (error) {
    return [
      problem(
        check,
        `the engine at ${dockerHost} does not respond: ${(error as Error).message}`,
        'systemctl restart docker; usermod -aG docker mooring',
      ),
    ];
  }
};

/** Keys and the database are for the service's user only. */
export const checkFiles: Check = async ({ config: { dataDir } }) => {
  const { uid, mode } = statSync(dataDir);
  const findings: Finding[] = [];
  if (mode & 0o022)
    findings.push(problem('data folder', `other users may write to ${dataDir}`, `chmod 711 ${dataDir}`));
  for (const name of ['secret.key', 'backup.key', 'mooring.db', 'replica.id']) {
    const path = join(dataDir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    if (stat.mode & 0o077) findings.push(problem('file rights', `other users may read ${path}`, `chmod 600 ${path}`));
    if (stat.uid !== uid)
      findings.push(
        problem(
          'file rights',
          `${path} belongs to another user than ${dataDir}`,
          `chown --reference=${dataDir} ${path}`,
        ),
      );
  }
  return findings.length ? findings : [ok('file rights', `the files in ${dataDir} are closed to other users`)];
};

export const checkDatabase: Check = async ({ database }) => {
  if (!database) return [problem('database', 'it cannot be opened', 'journalctl -u mooring')];
  return [ok('database', `${database.kind}, ${(await appliedMigrations(database.db)).at(-1)}`)];
};

export const checkVersion: Check = async ({ config: { updateUrl }, environment }) => {
  if (updateUrl === 'none') return [ok('version', `Mooring ${version}`)];
  const found = await fetchLatest(updateUrl, environment).catch((error: Error) => error);
  if (found instanceof Error) return [warning('version', found.message, 'check MOORING_UPDATE_URL')];
  const latest = found.version;
  if (!haveOrder(latest, version)) return [ok('version', noOrder(latest, version))];
  if (compareVersions(latest, version) > 0)
    return [warning('version', `Mooring ${latest} is available; this is ${version}`, 'mooring update')];
  return [ok('version', `Mooring ${version} is the latest`)];
};

export const checkBackup: Check = async ({ config, database }) => {
  const check = 'instance backup';
  if (!database || !(await appliedMigrations(database.db)).includes('0032-instance-backups')) return [];
  const { error, lacks, succeededAt, place } = await selectBackupState(database.db);
  if (error !== null) return [problem(check, `the last one failed: ${error}`, 'mooring backup instance')];
  if (succeededAt === null) return [warning(check, 'there is none yet', 'mooring backup instance')];
  const age = Date.now() - succeededAt;
  const message = `the last one is ${Math.floor(age / 3_600_000)} hours old: ${place}`;
  if (config.instanceBackup === 'off' && age > 7 * day) return [warning(check, message, 'mooring backup instance')];
  if (config.instanceBackup !== 'off' && age > 2 * day) return [problem(check, message, 'mooring backup instance')];
  const isHere = place?.startsWith(config.dataDir) && !config.instanceBackupDestination;
  const findings = [ok(check, message)];
  // An older service may use the database, which has no such column.
  if (lacks)
    findings.push(
      warning(check, `the last one lacks files: ${lacks}`, 'run `sudo mooring backup instance`, which reads all files'),
    );
  if (isHere)
    findings.push(
      warning(
        check,
        'all backups are on this machine',
        `set MOORING_INSTANCE_BACKUP_DESTINATION, and store the key of ${backupKeyFile(config.dataDir)} elsewhere`,
      ),
    );
  return findings;
};
