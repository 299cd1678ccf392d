import { Readable } from 'node:stream';
import { BackupError } from '../source.ts';
import { firstTool } from '../tools.ts';
import {
  connectOrTcp,
  type DatabaseEngine,
  type DatabaseServer,
  type DatabaseDump,
  rowsOf,
  textInput,
} from './engine.ts';

/** Both projects name their programs after themselves; older images of MariaDB have MySQL's names only. */
const programs = {
  mysql: { client: ['mysql', 'mariadb'], dump: ['mysqldump', 'mariadb-dump'] },
  mariadb: { client: ['mariadb', 'mysql'], dump: ['mariadb-dump', 'mysqldump'] },
};
const lockWaitSeconds = 60;

/** The backtick is doubled; everything else is allowed. */
export const quotedMysqlName = (name: string): string => {
  if (name.includes('\0')) throw new BackupError('bad_name', 'A name in MySQL cannot contain NUL', 'Rename it.');
  return `\`${name.replaceAll('`', '``')}\``;
};
/** Hexadecimal, because the meaning of a backslash depends on settings. */
const literal = (text: string): string => `CONVERT(0x${Buffer.from(text).toString('hex') || '00'} USING utf8mb4)`;

const connection = ({ tools, login }: DatabaseServer): string[] => [
  ...(tools.place === 'this machine' ? ['--no-defaults'] : []),
  ...(login['MYSQL_USER_NAME'] ? [`--user=${login['MYSQL_USER_NAME']}`] : []),
  ...(login['HOST']?.startsWith('/') ? [`--socket=${login['HOST']}`] : []),
  ...(login['HOST'] && !login['HOST'].startsWith('/') ? ['--protocol=tcp', `--host=${login['HOST']}`] : []),
  ...(login['PORT'] ? [`--port=${login['PORT']}`] : []),
  '--default-character-set=utf8mb4',
];
const secretOf = ({ login }: DatabaseServer): Record<string, string> =>
  login['MYSQL_PWD'] === undefined ? {} : { MYSQL_PWD: login['MYSQL_PWD'] };

export function mysqlEngine(kind: 'mysql' | 'mariadb'): DatabaseEngine {
  const { client: clients, dump: dumps } = programs[kind];

  /** SQL travels on standard input. */
  async function run(server: DatabaseServer, input: string | AsyncIterable<Buffer>, database?: string) {
    const client = await firstTool(server.tools, clients);
    const into = database === undefined ? [] : [`--database=${database}`];
    return server.tools.run({
      args: [client, ...connection(server), '--batch', '--raw', '--skip-column-names', ...into],
      env: secretOf(server),
      input: typeof input === 'string' ? textInput(input) : input,
    });
  }
  /** Names in hexadecimal, because they may contain anything. */
  const names = async (server: DatabaseServer, sql: string) =>
    rowsOf(await run(server, sql)).map((hex) => Buffer.from(hex, 'hex').toString());
  const inSchema = (
    server: DatabaseServer,
    what: string,
    from: keyof typeof schemaColumn,
    schema: string,
    and = '',
  ) => {
    const where = `${schemaColumn[from]} = ${literal(schema)} ${and}`;
    return names(server, `SELECT HEX(CONVERT(${what} USING utf8mb4)) FROM information_schema.${from} WHERE ${where};`);
  };
  const tables = (server: DatabaseServer, schema: string) =>
    inSchema(server, 'table_name', 'tables', schema, "AND table_type NOT IN ('VIEW', 'SYSTEM VIEW')");
  const views = (server: DatabaseServer, schema: string) => inSchema(server, 'table_name', 'views', schema);

  async function dumpOf(server: DatabaseServer, args: string[], onOutput: (chunk: Buffer) => Promise<void> | void) {
    const program = await firstTool(server.tools, dumps);
    // Loose, because MariaDB has its own mysqldump, which does not know it.
    const gtid = program === 'mysqldump' ? ['--loose-set-gtid-purged=OFF'] : [];
    const common = ['--single-transaction', '--quick', '--hex-blob', '--no-tablespaces', ...gtid];
    await server.tools.run({
      args: [program, ...connection(server), ...common, ...args],
      env: secretOf(server),
      onOutput,
    });
  }

  /** Returns the statements that create triggers, routines, events and views, which cannot be moved. */
  async function definitionsOf(server: DatabaseServer, schema: string): Promise<Buffer[]> {
    const chunks: Buffer[] = [];
    const collect = (chunk: Buffer) => void chunks.push(Buffer.from(chunk));
    const own = await views(server, schema);
    if (own.length) await dumpOf(server, ['--no-data', '--skip-triggers', '--', schema, ...own], collect);
    const without = own.map((view) => `--ignore-table=${schema}.${view}`);
    const only = ['--no-data', '--no-create-info', '--routines', '--triggers', '--events', ...without];
    await dumpOf(server, [...only, '--', schema], collect);
    return chunks;
  }

  async function dropDefinitions(server: DatabaseServer, schema: string): Promise<string> {
    const [triggers, procedures, functions, events, old] = await Promise.all([
      inSchema(server, 'trigger_name', 'triggers', schema),
      inSchema(server, 'routine_name', 'routines', schema, "AND routine_type = 'PROCEDURE'"),
      inSchema(server, 'routine_name', 'routines', schema, "AND routine_type = 'FUNCTION'"),
      inSchema(server, 'event_name', 'events', schema),
      views(server, schema),
    ]);
    const drops = Object.entries({
      TRIGGER: triggers,
      PROCEDURE: procedures,
      FUNCTION: functions,
      EVENT: events,
      VIEW: old,
    });
    return drops
      .flatMap(([what, all]) => all.map((name) => `DROP ${what} ${quotedMysqlName(schema)}.${quotedMysqlName(name)};`))
      .join('\n');
  }

  async function create(server: DatabaseServer, schema: string, like: string | null): Promise<void> {
    const sql = `SELECT CONCAT(default_character_set_name, ' COLLATE ', default_collation_name)
      FROM information_schema.schemata WHERE schema_name = ${literal(like ?? '')};`;
    const [charset] = like === null ? [] : rowsOf(await run(server, sql));
    await run(server, `CREATE DATABASE ${quotedMysqlName(schema)}${charset ? ` CHARACTER SET ${charset}` : ''};`);
  }

  const engine: DatabaseEngine = {
    file: `${kind}.sql`,

    connect: (server) => connectOrTcp(server, 'HOST', (at) => run(at, 'SELECT 1;')),

    /** While an image initializes its data, the server listens on a socket only. */
    isReady: (server) =>
      run({ ...server, login: { ...server.login, HOST: '127.0.0.1' } }, 'SELECT 1;').then(
        () => true,
        (error: BackupError) => {
          if (error.code !== 'tool_failed') throw error;
          return /Access denied|not allowed to connect/.test(error.message);
        },
      ),

    list: (server) => names(server, 'SELECT HEX(CONVERT(schema_name USING utf8mb4)) FROM information_schema.schemata;'),

    dump: (server, database, onOutput) =>
      dumpOf(server, ['--routines', '--triggers', '--events', '--', database], onOutput),

    async load(server, dump: DatabaseDump, database) {
      await create(server, database, null);
      await run(server, dump.read(), database);
    },

    /** Tables are moved in one statement, which is atomic. Views, triggers, routines and events are created again; if
     * that is interrupted, the tables are whole, and the next attempt creates them. */
    async replace(server, dump, database, temporary) {
      const old = `${temporary}_old`;
      await engine.drop(server, temporary);
      const isThere = (await engine.list(server)).includes(database);
      await create(server, temporary, isThere ? database : null);
      try {
        await run(server, dump.read(), temporary);
        const definitions = await definitionsOf(server, temporary);
        if (!isThere) await create(server, database, temporary);
        await engine.drop(server, old);
        await create(server, old, database);
        const [before, after] = [await tables(server, database), await tables(server, temporary)];
        const at = (schema: string, table: string) => `${quotedMysqlName(schema)}.${quotedMysqlName(table)}`;
        const moves = [
          ...before.map((table) => `${at(database, table)} TO ${at(old, table)}`),
          ...after.map((table) => `${at(temporary, table)} TO ${at(database, table)}`),
        ];
        await run(server, await endSessions(server, database));
        const drops = [await dropDefinitions(server, database), await dropDefinitions(server, temporary)];
        const rename = moves.length ? `RENAME TABLE ${moves.join(', ')};` : '';
        await run(server, `SET SESSION lock_wait_timeout = ${lockWaitSeconds};\n${drops.join('\n')}\n${rename}\n`);
        await run(server, Readable.from(definitions), database);
      } finally {
        await engine.drop(server, temporary).catch(() => {});
      }
      await engine.drop(server, old);
    },

    async drop(server, database) {
      await run(server, `DROP DATABASE IF EXISTS ${quotedMysqlName(database)};`);
    },

    async prove(server, database, query) {
      if (query === null) {
        const all = await tables(server, database);
        const counts = all.map((table) => `SELECT ${literal(table)}, COUNT(*) FROM ${quotedMysqlName(table)};`);
        const result = counts.length ? await run(server, counts.join('\n'), database) : '';
        return { query: 'SELECT COUNT(*) of each table', result: rowsOf(result).join('\n').replaceAll('\t', '|') };
      }
      if (isClientCommand(query))
        throw new BackupError(
          'bad_query',
          'The query contains a command of the client',
          'Use one SQL query without \\.',
        );
      const result = await run(server, `SET SESSION TRANSACTION READ ONLY;\n${query};\n`, database);
      return { query, result: result.trim().replaceAll('\t', '|') };
    },
  };

  /** Sessions that hold locks on the tables would block the move. */
  async function endSessions(server: DatabaseServer, schema: string): Promise<string> {
    const sql = `SELECT CONCAT('KILL ', id, ';') FROM information_schema.processlist WHERE db = ${literal(schema)};`;
    return rowsOf(await run(server, sql)).join('\n');
  }
  return engine;
}

const schemaColumn = {
  tables: 'table_schema',
  views: 'table_schema',
  triggers: 'trigger_schema',
  routines: 'routine_schema',
  events: 'event_schema',
} as const;

/** The client itself runs some commands, such as \! and system, which start a shell. */
export const isClientCommand = (query: string): boolean =>
  query.includes('\\') || /^\s*(system|source|edit|pager|tee|delimiter|connect|\.)/im.test(query);
