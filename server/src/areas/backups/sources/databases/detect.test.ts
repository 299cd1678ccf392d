import { describe, expect, it } from 'vitest';
import { databasesInVariables, engineOfImage, loginOf } from './detect.ts';
import type { DatabaseServer } from './engine.ts';
import { isSystemDatabase } from './engines.ts';
import { dumpArguments, mongodb, restoreArguments } from './mongodb.ts';
import { quotedMysqlName as mysqlIdentifier, isClientCommand } from './mysql.ts';
import { quotedPostgresName } from './postgres.ts';
import type { ToolCommand } from '../tools.ts';

describe('databases are found', () => {
  it.each([
    ['postgres:16', 'postgres'],
    ['postgis/postgis:16-3.4', 'postgres'],
    ['timescale/timescaledb:latest-pg16', 'postgres'],
    ['registry.example:5000/bitnami/postgresql@sha256:abc', 'postgres'],
    ['pgvector/pgvector:pg17', 'postgres'],
    ['mysql', 'mysql'],
    ['percona/percona-server:8.0', 'mysql'],
    ['bitnami/mariadb:11', 'mariadb'],
    ['mongo:7', 'mongodb'],
    ['valkey/valkey:8-alpine', 'redis'],
    ['eqalpha/keydb', 'redis'],
    ['redis:7-alpine', 'redis'],
    ['prom/mysqld-exporter', undefined],
    ['postgres-exporter', undefined],
    ['example/redis-commander', undefined],
  ])('by the image %s: %s', (image, engine) => expect(engineOfImage(image)).toBe(engine));

  it('by variables of usual images', () => {
    expect(loginOf('postgres', { POSTGRES_USER: 'u', POSTGRES_PASSWORD: 'p' }, [])).toEqual({
      env: { PGUSER: 'u', PGPASSWORD: 'p' },
      files: {},
      database: 'u',
    });
    expect(loginOf('postgres', { POSTGRES_PASSWORD_FILE: '/run/secrets/p', POSTGRES_DB: 'd' }, [])).toEqual({
      env: { PGUSER: 'postgres' },
      files: { PGPASSWORD: '/run/secrets/p' },
      database: 'd',
    });
    const bitnami = { POSTGRESQL_USERNAME: 'u', POSTGRESQL_PASSWORD: 'p', POSTGRESQL_POSTGRES_PASSWORD: 's' };
    expect(loginOf('postgres', bitnami, []).env).toEqual({ PGUSER: 'postgres', PGPASSWORD: 's' });
    expect(loginOf('mysql', { MYSQL_USER: 'u', MYSQL_PASSWORD: 'p', MYSQL_DATABASE: 'd' }, [])).toEqual({
      env: { MYSQL_USER_NAME: 'u', MYSQL_PWD: 'p' },
      files: {},
      database: 'd',
    });
    expect(loginOf('mariadb', { MYSQL_ROOT_PASSWORD: 'r', MYSQL_USER: 'u' }, []).env).toEqual({
      MYSQL_USER_NAME: 'root',
      MYSQL_PWD: 'r',
    });
    expect(loginOf('redis', {}, ['redis-server', '--requirepass', 's', '--port', '7000']).env).toEqual({
      REDISCLI_AUTH: 's',
      PORT: '7000',
    });
    expect(loginOf('redis', {}, ['sh', '-c', 'exec redis-server --requirepass "s" --save 60 1']).env).toEqual({
      REDISCLI_AUTH: 's',
    });
  });

  it('by URLs in variables of apps, on this machine only', () => {
    const found = databasesInVariables({
      DATABASE_URL: 'postgres://u:p%40ss@localhost:5433/shop?sslmode=disable',
      OTHER_URL: 'postgresql+asyncpg://u@/shop?host=/run/postgresql',
      REDIS_URL: 'redis://:secret@127.0.0.1:6380/0',
      FAR: 'mysql://u:p@db.example/shop',
      METADATA: 'postgres://u:p@169.254.169.254/x',
      SITE: 'https://localhost/x',
      NOTHING: 'postgres',
    });
    expect(found).toEqual([
      {
        variable: 'DATABASE_URL',
        engine: 'postgres',
        database: 'shop',
        env: { PGUSER: 'u', PGPASSWORD: 'p@ss', PGHOST: '127.0.0.1', PGPORT: '5433' },
      },
      { variable: 'OTHER_URL', engine: 'postgres', database: 'shop', env: { PGUSER: 'u', PGHOST: '/run/postgresql' } },
      {
        variable: 'REDIS_URL',
        engine: 'redis',
        database: '0',
        env: { REDISCLI_AUTH: 'secret', HOST: '127.0.0.1', PORT: '6380', DB: '0' },
      },
    ]);
  });

  it('without those of the system', () => {
    expect(isSystemDatabase('mysql', 'performance_schema')).toBe(true);
    expect(isSystemDatabase('postgres', 'mooring_restore_12')).toBe(true);
    expect(isSystemDatabase('mongodb', 'shop')).toBe(false);
  });
});

describe('names', () => {
  it('are quoted by the rules of the engine', () => {
    expect(quotedPostgresName('a"; drop')).toBe('"a""; drop"');
    expect(mysqlIdentifier('a`; drop')).toBe('`a``; drop`');
    expect(() => quotedPostgresName('a\0b')).toThrow('NUL');
  });

  it.each(['\\! ls', 'system ls', 'SELECT 1;\nsource /etc/passwd', '  SOURCE x', 'tee /x'])('refuses %j', (query) =>
    expect(isClientCommand(query)).toBe(true),
  );
});

describe('MongoDB', () => {
  const programs: ToolCommand[] = [];
  const server: DatabaseServer = {
    tools: {
      place: 'the service db',
      run: async (program) => {
        programs.push(program);
        return 'shop\nadmin\n';
      },
    },
    login: { MONGO_USER: 'root', MONGO_PASSWORD: 'p@ss word' },
  };
  const dump = { read: () => (async function* () {})(), isElsewhere: false, say: () => {} };

  it('is dumped and restored by its own tools, without secrets in arguments', async () => {
    expect(dumpArguments('shop')).toEqual(['mongodump', '--config=/dev/stdin', '--archive', '--db=shop']);
    expect(restoreArguments('copy').slice(3)).toEqual([
      'mongorestore',
      '--archive',
      '--drop',
      '--stopOnError',
      '--nsFrom=$db$.$collection$',
      '--nsTo=copy.$collection$',
    ]);
    expect(await mongodb.list(server)).toEqual(['shop', 'admin']);
    await mongodb.dump(server, 'shop', async () => {});
    await mongodb.replace(server, dump, 'shop', 'mooring_restore_1');
    await mongodb.prove(server, 'shop', null);
    const config: Buffer[] = [];
    for await (const chunk of programs.find(({ args }) => args[0] === 'mongodump')!.input!) config.push(chunk);
    expect(Buffer.concat(config).toString()).toBe(
      'uri: "mongodb://root:p%40ss%20word@127.0.0.1:27017/?authSource=admin"\n',
    );
    expect(JSON.stringify(programs.map(({ args }) => args))).not.toMatch(/p@ss|p%40ss/);
  });

  it.each(['a"; drop', 'a.b', '', '$(x)', 'a b'])('refuses the name %j', (name) =>
    expect(() => dumpArguments(name)).toThrow('not a name'),
  );
});
