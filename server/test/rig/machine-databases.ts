import { execFile, execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { exited, newFolder, spawnRecorded } from './children.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';

/** A database server that runs as a process of this machine. */
export interface MachineDatabase {
  /** For an app's variable. */
  url: string;
  /** Runs a command or SQL; returns the output. */
  ask(...words: string[]): Promise<string>;
  stop(): Promise<void>;
}

async function start(
  program: string,
  args: string[],
  url: string,
  ask: MachineDatabase['ask'],
  question: string,
): Promise<MachineDatabase> {
  const child = spawnRecorded(program, args, { stdio: 'ignore' });
  const stop = async () => {
    child.kill('SIGKILL');
    await exited(child);
  };
  await until(`${program} answers`, () => ask(question)).catch(async (error: Error) => {
    await stop();
    throw error;
  });
  return { url, ask, stop };
}

const output = async (file: string, args: string[], env: Record<string, string>): Promise<string> =>
  (await promisify(execFile)(file, args, { env: { PATH: '/usr/bin:/bin', ...env }, maxBuffer: 1 << 26 })).stdout.trim();

/** A Redis whose app uses the given database. */
export async function startRedis(database: number, more: string[] = []): Promise<MachineDatabase> {
  const [port, password] = [await freePort(), 'odd $"\'` password'];
  const args = ['--port', String(port), '--requirepass', password, '--dir', newFolder('redis'), '--save', ''];
  const debug = ['--enable-debug-command', 'yes'];
  const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  const login = ['-p', String(port), '-n', String(database)];
  const ask = (...words: string[]) => output('redis-cli', [...login, ...words], { REDISCLI_AUTH: password });
  return start('redis-server', [...args, ...debug, ...more], url, ask, 'PING');
}

/** A MariaDB with the database `shop`. */
export async function startMariadb(): Promise<MachineDatabase> {
  const [port, password, folder] = [await freePort(), 'odd $"` password', newFolder('mariadb')];
  chmodSync(folder, 0o755);
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')];
  const own = ['--no-defaults', `--datadir=${data}`, '--user=root'];
  const install = ['--auth-root-authentication-method=normal', '--skip-test-db', '--rpm'];
  execFileSync('mariadb-install-db', [...own, ...install], { stdio: 'ignore' });
  const client = ['--no-defaults', '--protocol=tcp', '--host=127.0.0.1', `--port=${port}`, '--batch', '-N'];
  const ask = (sql: string, database = 'shop') =>
    output('mariadb', [...client, '--user=shop', `--database=${database}`, '-e', sql], { MYSQL_PWD: password });
  const sql = `CREATE DATABASE shop; CREATE USER shop@'127.0.0.1' IDENTIFIED BY '${password}';
    GRANT ALL ON *.* TO shop@'127.0.0.1';`;
  const args = [...own, `--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1', '--skip-name-resolve'];
  const url = `mysql://shop:${encodeURIComponent(password)}@127.0.0.1:${port}/shop`;
  const prepare = (text: string) =>
    output('mariadb', ['--no-defaults', `--socket=${socket}`, '--user=root', '-e', text], {}).then(() => 'ready');
  const server = await start('mariadbd', args, url, prepare, sql);
  return { ...server, ask };
}
