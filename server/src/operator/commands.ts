import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ProcessEnvironment } from '../areas/instance/port.ts';
import type { Config } from '../config.ts';
import { openDatabase } from '../db/database.ts';
import { openInstance } from '../db/instance.ts';
import { StartError } from '../errors.ts';
import { instanceKeys } from '../instance-keys.ts';
import { createSealer } from '../lib/seal.ts';
import { backupKeyFile, ensureBackupKey } from './backup-key.ts';
import { missingFilesText } from '../areas/backups/instance/state.ts';
import { backupInstance, type InstanceBackupDeps, type MadeBackup } from './backup-instance.ts';
import { doctor } from './doctor/doctor.ts';
import { requireInstance } from './require-instance.ts';
import { restoreInstance } from './restore-instance.ts';
import { uninstall } from './uninstall.ts';

/** Commands that print a JSON object: `message` for people, the rest for programs. */
type JsonCommand = (config: Config, args: string[], environment: ProcessEnvironment) => Promise<{ message: string }>;

const keepNightly = 7;

export const jsonCommands: Record<string, JsonCommand> = {
  'backup-instance': backup,
  'backup-key': backupKey,
  'restore-instance': restore,
  doctor: (config, _, environment) => doctor(config, environment),
  uninstall,
};

const warn = (message: string) => process.stderr.write(`${message}\n`);

/** Runs `use` on the database as it is: an older service may be using it, so it is not migrated. */
export async function withInstance<T>(config: Config, use: (deps: InstanceBackupDeps) => Promise<T>): Promise<T> {
  requireInstance(config);
  const database = await openDatabase({ ...config, migrates: false });
  try {
    const sealer = createSealer(instanceKeys(config));
    const { id: instanceId } = await openInstance(database.db, sealer);
    return await use({ config, database, sealer, instanceId, warn });
  } finally {
    await database.db.destroy();
  }
}

async function backup(config: Config, args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      to: { type: 'string' },
      destination: { type: 'string' },
      'with-volumes': { type: 'boolean', default: false },
      nightly: { type: 'boolean', default: false },
    },
  });
  const withVolumes = values['with-volumes'];
  if (values.to !== undefined && values.destination !== undefined)
    throw new StartError('use --to or --destination, not both');
  const nightly = { destination: config.instanceBackupDestination, keepsFile: true, keep: keepNightly };
  const { to, destination } = values;
  const made = await withInstance(config, (deps) =>
    backupInstance(deps, { withVolumes, ...(values.nightly ? nightly : { to, destination }) }),
  );
  return { message: backupMessage(made, withVolumes), ...made };
}

function backupMessage({ place, bytes, skipped, isNewKey }: MadeBackup, withVolumes: boolean): string {
  const lines = [`Backed up the instance to ${place} (${(bytes / 1e6).toFixed(1)} MB, encrypted and verified).`];
  const lacks = missingFilesText(skipped);
  if (lacks !== null) lines.push(`It lacks files: ${lacks}`);
  lines.push(
    withVolumes
      ? 'It contains the volumes of process apps, but not those of containers.'
      : "It does not contain the apps' volumes; --with-volumes adds those of process apps.",
  );
  if (isNewKey)
    lines.push(
      'It is encrypted with a new backup key. Print it with `mooring backup key` and store it somewhere else:',
      'without that key, nobody can restore this backup.',
    );
  return lines.join('\n');
}

async function backupKey(config: Config) {
  requireInstance(config);
  ensureBackupKey(config.dataDir);
  return { message: readFileSync(backupKeyFile(config.dataDir), 'utf8').trimEnd() };
}

async function restore(config: Config, args: string[]) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { key: { type: 'string' }, replace: { type: 'boolean', default: false } },
  });
  const [file] = positionals;
  if (!file) throw new StartError('usage: mooring restore instance <file>');
  const { manifest, aside, settings } = await restoreInstance(config, { file, ...values });
  const { instanceId, createdAt, mooring } = manifest;
  const lines = [`Restored the instance ${instanceId} of ${createdAt} (Mooring ${mooring}) into ${config.dataDir}.`];
  if (aside.length) lines.push(`The previous data is in ${aside.join(' and ')}.`);
  if (settings) lines.push(`The settings of the backup are in ${settings}.`);
  lines.push('Start the service: systemctl start mooring. Never run two instances of one backup.');
  return { message: lines.join('\n'), instanceId, createdAt, mooring, aside, settings };
}
