import { posix } from 'node:path';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerData, ContainerRef } from '../../../../drivers/runtime/container-data.ts';
import { readTar } from '../../../../lib/archive/reader.ts';
import type { WrittenEntry } from '../../../../lib/archive/writer.ts';
import { BackupError } from '../source.ts';
import { firstTool } from '../tools.ts';
import { type DatabaseServer, textInput } from './engine.ts';

export const redisFile = 'dump.rdb';

const clients = ['redis-cli', 'valkey-cli', 'keydb-cli'];
const saveMs = 3_600_000;
const readyMs = 120_000;
const stuckMs = 20_000;
/** The client exits with 0 after an error reply. */
const errorReply =
  /^(ERR|NOAUTH|WRONGPASS|NOPERM|MISCONF|LOADING|BUSY|READONLY|MASTERDOWN|OOM|IOERR|EXECABORT|NOSCRIPT)\b.*/m;

async function client({ tools, login }: DatabaseServer): Promise<{ args: string[]; env: Record<string, string> }> {
  const program = await firstTool(tools, clients);
  const { HOST: host, PORT: port, REDIS_USER: user, REDISCLI_AUTH: password, DB: database } = login;
  const at = host?.startsWith('/') ? ['-s', host] : [...(host ? ['-h', host] : []), ...(port ? ['-p', port] : [])];
  return {
    args: [program, ...at, ...(user ? ['--user', user] : []), ...(database ? ['-n', database] : [])],
    env: { ...(password && { REDISCLI_AUTH: password, VALKEYCLI_AUTH: password }) },
  };
}

async function cli(server: DatabaseServer, ...command: string[]): Promise<string> {
  const { args, env } = await client(server);
  const output = await server.tools.run({ args: [...args, ...command], env });
  // Only at its start: a value may contain such a line.
  const error = errorReply.exec(output);
  if (error?.index === 0) throw failed(server, command[0]!, error[0]);
  return output;
}

/** Runs commands in one connection; each must reply with one line. They travel on standard input, because they may
 * contain secrets. */
export async function runRedisCommands(server: DatabaseServer, ...commands: string[][]): Promise<string> {
  const { args, env } = await client(server);
  const quoted = (text: string) => `"${Buffer.from(text).toString('hex').replaceAll(/../g, '\\x$&')}"`;
  const lines = commands.map((command) => command.map(quoted).join(' '));
  const output = await server.tools.run({ args, env, input: textInput(`${lines.join('\n')}\n`) });
  const error = errorReply.exec(output)?.[0];
  if (error !== undefined) throw failed(server, commands.at(-1)![0]!, error);
  return output;
}

const failed = ({ tools }: DatabaseServer, command: string, error: string): BackupError =>
  new BackupError('tool_failed', `${command} in ${tools.place} failed: ${error.slice(0, 200)}`, 'Fix the cause.');

const valueIn = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];

/** Replies of CONFIG GET alternate names and values. */
export const redisSetting = async (server: DatabaseServer, name: string): Promise<string | undefined> =>
  (await cli(server, 'CONFIG', 'GET', name)).split('\n')[1];

async function settings(server: DatabaseServer): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of ['dir', 'dbfilename', 'appendonly', 'appendfilename', 'appenddirname']) {
    const value = await redisSetting(server, name);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Has the server save everything to its RDB file now. LASTSAVE counts seconds, so it must be older than one. */
export async function saveRedisDump(server: DatabaseServer, signal: AbortSignal): Promise<void> {
  const giveUp = Date.now() + saveMs;
  const idle = async () => {
    for (; ; await sleep(100, undefined, { signal })) {
      const info = await cli(server, 'INFO', 'persistence');
      if (valueIn(info, 'rdb_bgsave_in_progress') === '0') return info;
      if (Date.now() > giveUp)
        throw new BackupError('save_timeout', 'The server did not finish saving', 'See its log.');
    }
  };
  const lastSave = async () => Number(await cli(server, 'LASTSAVE'));
  await idle();
  const before = await lastSave();
  await sleep(Math.max(0, (before + 1) * 1000 - Date.now()) + 50, undefined, { signal });
  await cli(server, 'BGSAVE', 'SCHEDULE');
  for (; ; await sleep(100, undefined, { signal })) {
    const info = await idle();
    if (valueIn(info, 'rdb_last_bgsave_status') !== 'ok')
      throw new BackupError('save_failed', 'The server could not save its data', 'See its log: the disk may be full.');
    if ((await lastSave()) > before) return;
    if (Date.now() > giveUp) throw new BackupError('save_timeout', 'The server did not save in time', 'See its log.');
  }
}

/** Sends the RDB file of a server in a container. */
export async function dumpContainer(
  server: DatabaseServer,
  { data, container, signal }: { data: ContainerData; container: ContainerRef; signal: AbortSignal },
  onOutput: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  await saveRedisDump(server, signal);
  const { dir = '/data', dbfilename = redisFile } = await settings(server);
  const tar = await data.readFiles(container, posix.join(dir, dbfilename));
  if (!tar)
    throw new BackupError('dump_missing', `The server saved no file ${posix.join(dir, dbfilename)}`, 'See its log.');
  try {
    for await (const entry of readTar(tar)) for await (const chunk of entry.body()) await onOutput(chunk);
  } finally {
    tar.destroy();
  }
}

/** Sends the data of a server on this machine, whose files belong to another user. */
export async function dumpMachine(server: DatabaseServer, onOutput: (chunk: Buffer) => Promise<void>): Promise<void> {
  const { args, env } = await client(server);
  await server.tools.run({ args: [...args, '--rdb', '-'], env, onOutput });
}

/** Where a server reads its data from when it starts. */
export interface RedisDataLocation {
  dir: string;
  settings: Record<string, string>;
  owner: { uid: number; gid: number };
}

export async function redisDataLocationOf(
  server: DatabaseServer,
  data: ContainerData,
  container: ContainerRef,
): Promise<RedisDataLocation> {
  const found = await settings(server);
  const dir = found['dir'] ?? '/data';
  for (const path of [posix.join(dir, found['dbfilename'] ?? redisFile), dir]) {
    const tar = await data.readFiles(container, path);
    if (!tar) continue;
    try {
      for await (const { owner } of readTar(tar)) return { dir, settings: found, owner };
    } finally {
      tar.destroy();
    }
  }
  return { dir, settings: found, owner: { uid: 0, gid: 0 } };
}

/**
 * Yields the files that make a server start with this RDB. With an append-only file, a server ignores the RDB file, so
 * the RDB becomes the base of a new append-only file. Its number is new: an old increment must not be appended to.
 */
export async function* filesFor(
  { settings: found, owner }: RedisDataLocation,
  rdb: string,
): AsyncGenerator<WrittenEntry> {
  const { size } = await lstat(rdb);
  const now = Date.now();
  const file = (path: string, content: string | null): WrittenEntry => ({
    path,
    type: 'file',
    mode: 0o640,
    owner,
    modifiedMs: now,
    target: '',
    size: content === null ? size : Buffer.byteLength(content),
    content: () => (content === null ? createReadStream(rdb) : textInput(content)),
  });
  yield file(found['dbfilename'] ?? redisFile, null);
  if (found['appendonly'] !== 'yes') return;
  const name = found['appendfilename'] ?? 'appendonly.aof';
  const folder = found['appenddirname'];
  // Before version 7 there was one file, which may begin with an RDB.
  if (folder === undefined) {
    yield file(name, null);
    return;
  }
  const number = Math.floor(now / 1000);
  const [base, increment] = [`${name}.${number}.base.rdb`, `${name}.${number}.incr.aof`];
  yield { ...file(folder, ''), type: 'folder', mode: 0o755 };
  yield file(`${folder}/${base}`, null);
  yield file(`${folder}/${increment}`, '');
  const manifest = `file ${base} seq ${number} type b\nfile ${increment} seq ${number} type i\n`;
  yield file(`${folder}/${name}.manifest`, manifest);
}

const stateOf = (server: DatabaseServer): Promise<'ready' | 'loading' | 'away'> =>
  cli(server, 'PING').then(
    (output) => (output.startsWith('PONG') ? 'ready' : 'away'),
    (error: Error) => (error.message.includes('LOADING') ? 'loading' : 'away'),
  );

/** Waits until the server has loaded its data. A damaged file may keep it busy for ever. */
export async function readyServer(
  open: () => Promise<DatabaseServer>,
  signal: AbortSignal,
  what: string,
): Promise<DatabaseServer> {
  let giveUp = Date.now() + readyMs;
  for (; Date.now() < giveUp; await sleep(200, undefined, { signal })) {
    const server = await open().catch(() => undefined);
    const state = server && (await Promise.race([stateOf(server), sleep(stuckMs, 'stuck')]));
    if (state === 'ready') return server!;
    if (state === 'loading') giveUp = Date.now() + readyMs;
    if (state === 'stuck') break;
  }
  throw new BackupError('not_ready', `${what} does not accept connections`, 'See its log, or use another backup.');
}

/** Numbers of the databases that contain keys, with their count. */
export async function keyCounts(server: DatabaseServer): Promise<Map<string, string>> {
  const info = await cli(server, 'INFO', 'keyspace');
  return new Map([...info.matchAll(/^db(\d+):keys=(\d+)/gm)].map(([, database, keys]) => [database!, keys!]));
}

/** Counts the keys, or runs a command. On a server of this machine, only one database is the app's. */
export async function proveRedis(
  server: DatabaseServer,
  query: string | null,
): Promise<{ query: string; result: string }> {
  if (query === null) {
    const own = server.login['DB'];
    const counts = [...(await keyCounts(server))].filter(([database]) => own === undefined || database === own);
    const lines = counts.map(([database, keys]) => `db${database}|${keys}`);
    return { query: 'keys of each database', result: lines.join('\n') || 'no keys' };
  }
  const words = query.trim().split(/\s+/);
  if (words[0]!.startsWith('-'))
    throw new BackupError('bad_query', 'The query is an option of the client', 'Use a command.');
  return { query, result: (await cli(server, ...words)).trim() };
}
