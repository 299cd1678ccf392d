import { constants } from 'node:fs';
import { chown, copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newTemporary } from '../../../../drivers/host/isolation.ts';
import { passableFolder } from '../../../../lib/passable-folder.ts';
import { removeTree } from '../../../../lib/remove-tree.ts';
import { shortHashOf } from '../object-key-parts.ts';
import { BackupError, type RestoreOutcome, type RestoreTarget, type SourceCall } from '../source.ts';
import { firstTool } from '../tools.ts';
import { scratchFolder } from '../volumes/restore.ts';
import type { DatabaseServer } from './engine.ts';
import { runRedisCommands, keyCounts, proveRedis, readyServer, redisFile, redisSetting } from './redis.ts';
import { type RestoringDatabase, temporaryDatabaseName, withoutWriters } from './restore.ts';

// The files of a Redis on this machine belong to another user, and its other databases to other apps. So a temporary
// server loads the archive and sends the keys of one database to the real one, where it is swapped with the old one.

const programs = ['redis-server', 'valkey-server', 'keydb-server'];
/** Ends the server when the input ends: with the call, or with this process. */
const script = `exec 3<&0; "$@" & server=$!; (cat <&3 >/dev/null; kill -9 $server 2>/dev/null) & wait $server`;
const usualDatabases = 16;
/** The arguments are the address of the target, its database, and what logs in there. */
const sending = `
local cursor = '0'
repeat
  local found = redis.call('SCAN', cursor, 'COUNT', 500)
  cursor = found[1]
  if #found[2] > 0 then
    local call = { 'MIGRATE', ARGV[1], ARGV[2], '', ARGV[3], 600000, 'COPY', 'REPLACE' }
    for at = 4, #ARGV do table.insert(call, ARGV[at]) end
    table.insert(call, 'KEYS')
    for _, key in ipairs(found[2]) do table.insert(call, key) end
    redis.call(unpack(call))
  end
until cursor == '0'
return redis.status_reply('OK')`;

type Where = Pick<RestoringDatabase, 'data' | 'holds' | 'found'>;

export async function restoreOnMachine(
  { data, holds, found }: Where,
  rdb: string,
  target: RestoreTarget & { to: 'in-place' | 'scratch' },
  { jobId, signal }: SourceCall,
): Promise<RestoreOutcome> {
  const database = found.database!;
  const server = await found.open(signal);
  const marker = temporaryDatabaseName({ found, database }, jobId);
  const loading = { data, server, rdb, signal };
  if (target.to === 'scratch') {
    const file = join(scratchFolder(data, jobId), shortHashOf(marker), redisFile);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await copyFile(rdb, file);
    const proof = await withTemporaryServer(loading, (loaded) => proveRedis(loaded, target.query));
    return { place: `the file ${file}`, proof };
  }
  if (server.login['HOST']?.startsWith('/'))
    throw new BackupError(
      'not_possible',
      'A server that listens on a socket only cannot be restored in place',
      'Name 127.0.0.1 in the variable, or download the archive and replace the RDB file while the server is stopped.',
    );
  await withoutWriters({ data, holds, found }, jobId, () =>
    withTemporaryServer(loading, (loaded) => replaceDatabase(server, loaded, marker)),
  );
  return { place: `database ${database} of Redis on this machine`, proof: await proveRedis(server, null) };
}

/** Each command sees the old database or the new one. The marker tells the next attempt which database is ours. */
async function replaceDatabase(server: DatabaseServer, loaded: DatabaseServer, marker: string): Promise<void> {
  const { DB: own = '0', HOST: host = '127.0.0.1', PORT: port = '6379', REDIS_USER: user, ...login } = server.login;
  const password = login['REDISCLI_AUTH'];
  const other = await spareDatabase(server, own, marker);
  await runRedisCommands(server, ['SELECT', other], ['FLUSHDB'], ['SET', marker, '1']);
  const access = password === undefined ? [] : user ? ['AUTH2', user, password] : ['AUTH', password];
  await runRedisCommands(loaded, ['EVAL', sending, '0', host, port, other, ...access]);
  await runRedisCommands(
    server,
    ['MULTI'],
    ['SELECT', other],
    ['DEL', marker],
    ['SELECT', own],
    ['SET', marker, '1'],
    ['SWAPDB', other, own],
    ['EXEC'],
  );
  await runRedisCommands(server, ['SELECT', other], ['FLUSHDB']);
}

/** Returns the database that an earlier attempt has used, or an empty one. */
async function spareDatabase(server: DatabaseServer, own: string, marker: string): Promise<string> {
  const used = [...(await keyCounts(server)).keys()].filter((each) => each !== own);
  for (const each of used) {
    const [, exists] = (await runRedisCommands(server, ['SELECT', each], ['EXISTS', marker])).split('\n');
    if (exists === '1') return each;
  }
  const count = Number((await redisSetting(server, 'databases').catch(() => undefined)) ?? usualDatabases);
  const free = Array.from({ length: count }, (_, index) => String(count - 1 - index));
  const spare = free.find((each) => each !== own && !used.includes(each));
  if (spare !== undefined) return spare;
  throw new BackupError(
    'no_spare_database',
    `All ${count} databases of the server are in use`,
    'Raise databases in redis.conf: a restore needs an empty one for a moment.',
  );
}

type Loading = { data: Where['data']; server: DatabaseServer; rdb: string; signal: AbortSignal };

/** Runs a server that has loaded the archive, on a socket that only the user of the app can reach. */
async function withTemporaryServer<T>(
  { data: { parts, resting }, server: { tools, login }, rdb, signal }: Loading,
  task: (loaded: DatabaseServer) => Promise<T>,
): Promise<T> {
  const folder = newTemporary(parts.folders.dataDir);
  try {
    const [file, socket] = [join(folder, redisFile), join(folder, 'socket')];
    await copyFile(rdb, file, constants.COPYFILE_FICLONE);
    const user = await parts.userOf(resting.row.projectId);
    await passableFolder(dirname(folder));
    if (user) for (const path of [folder, file]) await chown(path, user.uid, user.gid);
    const settings = {
      port: '0',
      unixsocket: socket,
      dir: folder,
      dbfilename: redisFile,
      save: '',
      loglevel: 'warning',
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const over = Promise.withResolvers<Buffer[]>();
    const input = async function* () {
      yield* await over.promise;
    };
    const program = await firstTool(tools, programs);
    const running = tools.run({ args: ['sh', '-c', script, 'sh', program, ...args], input: input() });
    const exited = running.then((): never => {
      throw new BackupError('not_ready', `${program} exited while it loaded the archive`, 'Use another backup.');
    });
    try {
      const loaded = { tools, login: { HOST: socket, DB: login['DB'] ?? '0' } };
      const ready = readyServer(async () => loaded, signal, 'A temporary server');
      return await task(await Promise.race([ready, exited]));
    } finally {
      over.resolve([]);
      await running.catch(() => {});
    }
  } finally {
    await removeTree(folder);
  }
}
