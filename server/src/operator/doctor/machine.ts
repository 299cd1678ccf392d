import { existsSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { selectBackupState } from '../../areas/backups/instance/state.ts';
import { fetchLatest } from '../../areas/instance/port.ts';
import { appliedMigrations } from '../../db/migrate.ts';
import { EngineClient, engineAt } from '../../drivers/runtime/docker/engine/client.ts';
import { compareVersions, areComparable, notComparableText } from '../../lib/version-order.ts';
import { version } from '../../version.ts';
import { backupKeyFile } from '../backup-key.ts';
import { type DoctorCheck, type DoctorFinding, okFinding, problemFinding, warningFinding } from './finding.ts';

const gigabyte = 1e9;
const day = 86_400_000;

export const checkDisk: DoctorCheck = async ({ config: { dataDir } }) => {
  const { bavail, blocks, bsize, ffree, files } = await statfs(dataDir);
  const free = bavail * bsize;
  const message = `${(free / gigabyte).toFixed(1)} GB of ${((blocks * bsize) / gigabyte).toFixed(1)} GB are free in ${dataDir}`;
  const fix = 'docker system prune; mooring deployments, and lower the rollback window of projects';
  if (free < 0.5 * gigabyte) return [problemFinding('disk', message, fix)];
  if (files > 0 && ffree / files < 0.02)
    return [problemFinding('disk', 'the file system has hardly any inodes left', fix)];
  return [
    free < 3 * gigabyte || bavail / blocks < 0.05 ? warningFinding('disk', message, fix) : okFinding('disk', message),
  ];
};

export const checkEngine: DoctorCheck = async ({ config }) => {
  const { runtime, dockerHost } = config;
  const check = 'container engine';
  if (runtime === 'process') return [okFinding(check, 'apps run as processes (MOORING_RUNTIME=process)')];
  const socket = dockerHost.startsWith('unix://') ? dockerHost.slice('unix://'.length) : undefined;
  if (socket !== undefined && !existsSync(socket)) {
    if (runtime === 'auto' && !existsSync(join(config.dataDir, 'containers')))
      return [okFinding(check, 'there is none, so apps run as processes')];
    return [problemFinding(check, `there is no engine at ${socket}`, 'systemctl start docker')];
  }
  try {
    const engine = new EngineClient(engineAt(dockerHost));
    const { Version } = await engine.json<{ Version: string }>({ method: 'GET', path: '/version' });
    const findings = [okFinding(check, `Docker ${Version} responds`)];
    const mode = socket === undefined ? 0 : statSync(socket).mode;
    if (mode & 0o006)
      findings.push(
        problemFinding(
          'engine access',
          `every user of this machine may use ${socket}, which makes them root`,
          `chmod 660 ${socket}`,
        ),
      );
    return findings;
  } catch (error) {
    return [
      problemFinding(
        check,
        `the engine at ${dockerHost} does not respond: ${(error as Error).message}`,
        'systemctl restart docker; usermod -aG docker mooring',
      ),
    ];
  }
};

/** Keys and the database are for the service's user only. */
export const checkFiles: DoctorCheck = async ({ config: { dataDir } }) => {
  const { uid, mode } = statSync(dataDir);
  const findings: DoctorFinding[] = [];
  if (mode & 0o022)
    findings.push(problemFinding('data folder', `other users may write to ${dataDir}`, `chmod 711 ${dataDir}`));
  for (const name of ['secret.key', 'backup.key', 'mooring.db', 'replica.id']) {
    const path = join(dataDir, name);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) continue;
    if (stat.mode & 0o077)
      findings.push(problemFinding('file rights', `other users may read ${path}`, `chmod 600 ${path}`));
    if (stat.uid !== uid)
      findings.push(
        problemFinding(
          'file rights',
          `${path} belongs to another user than ${dataDir}`,
          `chown --reference=${dataDir} ${path}`,
        ),
      );
  }
  return findings.length ? findings : [okFinding('file rights', `the files in ${dataDir} are closed to other users`)];
};

export const checkDatabase: DoctorCheck = async ({ database }) => {
  if (!database) return [problemFinding('database', 'it cannot be opened', 'journalctl -u mooring')];
  return [okFinding('database', `${database.kind}, ${(await appliedMigrations(database.db)).at(-1)}`)];
};

export const checkVersion: DoctorCheck = async ({ config: { updateUrl }, environment }) => {
  if (updateUrl === 'none') return [okFinding('version', `Mooring ${version}`)];
  const found = await fetchLatest(updateUrl, environment).catch((error: Error) => error);
  if (found instanceof Error) return [warningFinding('version', found.message, 'check MOORING_UPDATE_URL')];
  const latest = found.version;
  if (!areComparable(latest, version)) return [okFinding('version', notComparableText(latest, version))];
  if (compareVersions(latest, version) > 0)
    return [warningFinding('version', `Mooring ${latest} is available; this is ${version}`, 'mooring update')];
  return [okFinding('version', `Mooring ${version} is the latest`)];
};

export const checkBackup: DoctorCheck = async ({ config, database }) => {
  const check = 'instance backup';
  if (!database || !(await appliedMigrations(database.db)).includes('0032-instance-backups')) return [];
  const { error, lacks, succeededAt, place } = await selectBackupState(database.db);
  if (error !== null) return [problemFinding(check, `the last one failed: ${error}`, 'mooring backup instance')];
  if (succeededAt === null) return [warningFinding(check, 'there is none yet', 'mooring backup instance')];
  const age = Date.now() - succeededAt;
  const message = `the last one is ${Math.floor(age / 3_600_000)} hours old: ${place}`;
  if (config.instanceBackup === 'off' && age > 7 * day)
    return [warningFinding(check, message, 'mooring backup instance')];
  if (config.instanceBackup !== 'off' && age > 2 * day)
    return [problemFinding(check, message, 'mooring backup instance')];
  const isHere = place?.startsWith(config.dataDir) && !config.instanceBackupDestination;
  const findings = [okFinding(check, message)];
  // An older service may use the database, which has no such column.
  if (lacks)
    findings.push(
      warningFinding(
        check,
        `the last one lacks files: ${lacks}`,
        'run `sudo mooring backup instance`, which reads all files',
      ),
    );
  if (isHere)
    findings.push(
      warningFinding(
        check,
        'all backups are on this machine',
        `set MOORING_INSTANCE_BACKUP_DESTINATION, and store the key of ${backupKeyFile(config.dataDir)} elsewhere`,
      ),
    );
  return findings;
};
