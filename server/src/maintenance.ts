import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { recordForAll } from './areas/access/audit/service.ts';
import { Links } from './areas/access/links.ts';
import { createReset } from './areas/access/passwords/service.ts';
import { selectUserByEmail } from './areas/access/users/store.ts';
import { type Config, readConfig } from './config.ts';
import { type Db, inTransaction, openDatabase } from './db/database.ts';
import { openInstance } from './db/instance.ts';
import { rotateKey } from './db/sealed-columns.ts';
import { StartError } from './errors.ts';
import { instanceKeys } from './instance-keys.ts';
import { localDrivers } from './local-drivers.ts';
import { readNotice } from './lib/data-dir.ts';
import { createSealer } from './lib/seal.ts';
import { EngineAwayError } from './drivers/runtime/errors.ts';
import type { Runtime } from './drivers/runtime/runtime.ts';

// Commands for the machine's owner. They work on the data folder directly, even while the service runs.

type Command = (db: Db, config: Config, args: string[]) => Promise<string>;

const commands: Record<string, Command> = {
  'rotate-key': rotate,
  'reset-password': resetPassword,
  stop: stopEverything,
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
  const links = new Links();
  links.setBase(config.publicUrl ?? readNotice(config.dataDir)?.url ?? `http://${config.host}:${config.port}`);
  const { secret } = await inTransaction(db, async (trx) => {
    const actor = { userId: user.id, email: 'the machine itself', ip: 'local' };
    await recordForAll(trx, actor, { action: 'password.reset_offered', target: { id: user.id, name: user.email } });
    return createReset(trx, user.id);
  });
  return `${user.email} can set a new password with this link, once and within a day:\n  ${links.passwordReset(secret)}`;
}

/** Stops the service, then the edge and the apps of this data folder, which outlive it. */
async function stopEverything(db: Db, config: Config): Promise<string> {
  const { id } = await db.selectFrom('instance').select('id').executeTakeFirstOrThrow();
  const drivers = await localDrivers(config, id, process.env, (message) => process.stderr.write(`${message}\n`));
  const { edge, runtime, host } = drivers;
  const service = await stopService(config.dataDir);
  // A killed service leaves its builds running.
  const held = await db.selectFrom('deployments').select('id').where('leaseOwner', 'is not', null).execute();
  for (const deployment of held) await host.endWork(deployment.id);
  // If the engine does not respond, still stop the edge.
  const apps = await stopApps(runtime).catch((error: unknown) => {
    if (error instanceof EngineAwayError) return error;
    throw error;
  });
  await edge.stop();
  await drivers.close();
  const stopped = `Stopped ${[service, 'the edge', ...(apps instanceof Error ? [] : [apps])].filter(Boolean).join(', ')}.`;
  if (apps instanceof Error)
    throw new StartError(`${stopped} The apps keep running: ${apps.message}. Is DOCKER_HOST right?`);
  return `${stopped} Deployed apps start again with Mooring.`;
}

async function stopApps(runtime: Runtime): Promise<string> {
  const running = (await runtime.list()).filter(({ state }) => state !== 'exited' && state !== 'missing');
  for (const { owner } of running) await runtime.stop(owner.deploymentId, 10_000);
  return `${running.length} ${running.length === 1 ? 'app' : 'apps'}`;
}

async function stopService(dataDir: string): Promise<string> {
  const notice = readNotice(dataDir);
  if (!notice || !isService(notice.pid)) return '';
  process.kill(notice.pid, 'SIGTERM');
  for (const end = Date.now() + 6000; Date.now() < end && isService(notice.pid);) await sleep(50);
  return 'the service';
}

/** Checks the command line, because after a kill -9 the PID may belong to another program. */
function isService(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('main.js');
  } catch {
    return false;
  }
}

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true });
  const [name = '', ...args] = positionals;
  const command = commands[name];
  if (!command) throw new StartError(`there is no command ${name}; there are ${Object.keys(commands).join(', ')}`);
  const config = readConfig(process.env);
  if (!config.databaseUrl && !existsSync(join(config.dataDir, 'mooring.db')))
    throw new StartError(`there is no instance in ${config.dataDir}; is MOORING_DATA_DIR right?`);
  const { db } = await openDatabase(config);
  try {
    await openInstance(db, createSealer(instanceKeys(config)));
    process.stdout.write(`${await command(db, config, args)}\n`);
  } finally {
    await db.destroy();
  }
}

await main().catch((error: Error) => {
  process.stderr.write(`mooring: ${error instanceof StartError ? error.message : error.stack}\n`);
  process.exitCode = 1;
});
