import { BackupError } from '../source.ts';
import { firstTool } from '../tools.ts';
import { type DatabaseEngine, type DatabaseServer, type DatabaseDump, rowsOf, textInput } from './engine.ts';

const shells = ['mongosh'];

/** Credentials of the user, as part of a connection string. */
function connectionString({ login }: DatabaseServer): string {
  const { MONGO_USER: user, MONGO_PASSWORD: password = '', HOST: host = '127.0.0.1', PORT: port = '27017' } = login;
  const who = user ? `${encodeURIComponent(user)}:${encodeURIComponent(password)}@` : '';
  const at = host.startsWith('/') ? encodeURIComponent(host) : `${host}:${port}`;
  return `mongodb://${who}${at}/?authSource=admin`;
}

/**
 * The database tools take a password from an argument or a configuration file only. For a dump, that file is standard
 * input. A restore reads the dump there, so a shell in the container writes a temporary file; its script is fixed text.
 */
const configured = (server: DatabaseServer): string => `uri: ${JSON.stringify(connectionString(server))}\n`;
const restoreScript =
  'f=$(mktemp) && trap \'rm -f "$f"\' EXIT && printf "%s" "$MOORING_CONFIG" > "$f" && unset MOORING_CONFIG && mongorestore --config="$f" "$@"';

/** Runs JavaScript, which finds everything that varies in its environment. */
async function evaluate(server: DatabaseServer, script: string, more: Record<string, string> = {}): Promise<string> {
  const shell = await firstTool(server.tools, shells);
  const prelude = 'const { env } = process; const connection = new Mongo(env.MOORING_URL); ';
  return server.tools.run({
    args: [shell, '--nodb', '--quiet', '--norc', '--eval', `${prelude}${script}`],
    env: { ...more, MOORING_URL: connectionString(server) },
  });
}

/** Dots separate databases from collections, and MongoDB does not allow them in names. */
function checked(name: string): string {
  if (/^[^/\\. "$*<>:|?\0]{1,63}$/.test(name)) return name;
  throw new BackupError(
    'bad_name',
    `${JSON.stringify(name)} is not a name for a database of MongoDB`,
    'Choose another.',
  );
}

export const dumpArguments = (database: string): string[] => [
  'mongodump',
  '--config=/dev/stdin',
  '--archive',
  `--db=${checked(database)}`,
];

/** Renames the database of the dump, whatever it is. */
export const restoreArguments = (database: string): string[] => [
  'sh',
  '-c',
  restoreScript,
  'mongorestore',
  '--archive',
  '--drop',
  '--stopOnError',
  '--nsFrom=$db$.$collection$',
  `--nsTo=${checked(database)}.$collection$`,
];

/** MongoDB. Its programs are not available where this was written: only their arguments are tested. */
export const mongodb: DatabaseEngine = {
  file: 'mongodb.archive',

  async connect(server) {
    await evaluate(server, 'connection.getDB("admin").runCommand({ ping: 1 });');
    return server;
  },

  isReady: (server) =>
    mongodb.connect(server).then(
      () => true,
      () => false,
    ),

  list: async (server) =>
    rowsOf(await evaluate(server, 'for (const each of connection.getDBNames()) print(each);')).map((name) =>
      name.trim(),
    ),

  async dump(server, database, onOutput) {
    await server.tools.run({ args: dumpArguments(database), input: textInput(configured(server)), onOutput });
  },

  load: (server, dump, database) => restore(server, dump, database),

  /** Restores beside the original first, which proves that the dump is whole. MongoDB cannot rename a database: then
   * each collection is dropped and restored. After an interruption, the next attempt completes it. */
  async replace(server, dump, database, temporary) {
    await mongodb.drop(server, temporary);
    try {
      await restore(server, dump, temporary);
      await mongodb.drop(server, database);
      await restore(server, dump, database);
    } finally {
      await mongodb.drop(server, temporary).catch(() => {});
    }
  },

  async drop(server, database) {
    await evaluate(server, 'connection.getDB(env.MOORING_DATABASE).dropDatabase();', {
      MOORING_DATABASE: checked(database),
    });
  },

  async prove(server, database, query) {
    if (query !== null)
      throw new BackupError('bad_query', 'Queries of MongoDB are not supported', 'Leave the query of the drill empty.');
    const script = `const db = connection.getDB(env.MOORING_DATABASE);
      for (const name of db.getCollectionNames().sort()) print(name + '|' + db.getCollection(name).countDocuments({}));`;
    const result = rowsOf(await evaluate(server, script, { MOORING_DATABASE: checked(database) })).join('\n');
    return { query: 'documents of each collection', result };
  },
};

async function restore(server: DatabaseServer, dump: DatabaseDump, database: string): Promise<void> {
  const args = restoreArguments(database);
  await server.tools.run({ args, env: { MOORING_CONFIG: configured(server) }, input: dump.read() });
}
