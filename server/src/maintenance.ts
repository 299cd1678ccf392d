import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { recordAuditInAllOrganizations } from './areas/access/audit/service.ts';
import { DashboardLinks } from './areas/access/links.ts';
import { createReset } from './areas/access/passwords/service.ts';
import { selectUserByEmail } from './areas/access/users/store.ts';
import type { ProcessEnvironment } from './areas/instance/port.ts';
import { type Config, readConfig } from './config.ts';
import { type Db, inTransaction, openDatabase } from './db/database.ts';
import { openInstance } from './db/instance.ts';
import { rotateKey } from './db/sealed-columns.ts';
import { StorageError } from './drivers/storage/storage.ts';
import { AppError, StartError } from './errors.ts';
import { instanceKeys } from './instance-keys.ts';
import { readNotice } from './lib/data-dir.ts';
import { createSealer } from './lib/seal.ts';
import { jsonCommands } from './operator/commands.ts';
import { installedPrograms, withInstalledSettings } from './operator/environment-file.ts';
import { requireInstance } from './operator/require-instance.ts';
import { becomeServiceUser } from './operator/service-user.ts';
import { stopEverything } from './operator/stop.ts';
import { update } from './operator/update.ts';
import { version } from './version.ts';

// Commands for the machine's owner. They work on the data folder directly, even while the service runs.

type Command = (db: Db, config: Config, args: string[], environment: ProcessEnvironment) => Promise<string>;

const commands: Record<string, Command> = {
  'rotate-key': rotate,
  'reset-password': resetPassword,
  stop: (db, config, _, environment) => stopEverything(db, config, environment),
};

async function rotate(db: Db, config: Config): Promise<string> {
  const ring = instanceKeys(config);
  const { resealed, keyId } = await rotateKey(db, ring, createSealer(ring));
  const next = ring.file
    ? ''
    : '\nEvery secret is encrypted with MOORING_SECRET_KEY; remove MOORING_SECRET_KEY_PREVIOUS.';
  return `Encrypted ${resealed} stored ${resealed === 1 ? 'value' : 'values'} again; the key is now ${keyId}.${next}`;
}

/** Prints a link, so that no password is on a command line and users choose their own. */
async function resetPassword(db: Db, config: Config, [email = '']: string[]): Promise<string> {
  const user = await selectUserByEmail(db, email.trim().toLowerCase());
  if (!user) throw new StartError(email ? `there is no user ${email}` : 'usage: mooring reset-password <email>');
  const links = new DashboardLinks();
  links.setBase(config.publicUrl ?? readNotice(config.dataDir)?.url ?? `http://${config.host}:${config.port}`);
  const { secret } = await inTransaction(db, async (trx) => {
    const actor = { userId: user.id, email: 'the machine itself', ip: 'local' };
    await recordAuditInAllOrganizations(trx, actor, {
      action: 'password.reset_offered',
      target: { id: user.id, name: user.email },
    });
    return createReset(trx, user.id);
  });
  return `${user.email} can set a new password with this link, once and within a day:\n  ${links.passwordReset(secret)}`;
}

async function main(): Promise<void> {
  const [name = '', ...args] = process.argv.slice(2);
  // A worker has settings of its own, also beside a service.
  const isInstalled = name !== 'worker' && import.meta.dirname.startsWith(`${installedPrograms}/`);
  const environment = withInstalledSettings(process.env, { isInstalled });
  const config = readConfig(environment);
  // An update must not open the database: that would migrate it.
  if (name === 'update') return runUpdate(config, environment, args);
  if (name === 'worker') return (await import('./operator/build-worker.ts')).runWorker(environment, args);
  const asJson = jsonCommands[name];
  if (asJson) {
    process.stdout.write(`${JSON.stringify(await asJson(config, args, environment))}\n`);
    return;
  }
  const command = commands[name];
  if (!command) throw new StartError(`there is no command ${name}; there are ${allNames.join(', ')}`);
  becomeServiceUser(config.dataDir);
  requireInstance(config);
  const { db } = await openDatabase(config);
  try {
    await openInstance(db, createSealer(instanceKeys(config)));
    const { positionals } = parseArgs({ args, allowPositionals: true });
    process.stdout.write(`${await command(db, config, positionals, environment)}\n`);
  } finally {
    await db.destroy();
  }
}

function runUpdate(config: Config, environment: ProcessEnvironment, args: string[]): Promise<void> {
  const release = join(import.meta.dirname, '..', '..');
  const print = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  return update(args, { config, environment, release, version, print });
}

const allNames = [...Object.keys(commands), ...Object.keys(jsonCommands), 'update', 'worker'];

await main().catch((error: Error) => {
  const isExpected = [StartError, AppError, StorageError].some((kind) => error instanceof kind);
  process.stderr.write(`mooring: ${isExpected ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
