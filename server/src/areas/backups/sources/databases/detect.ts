import type { DatabaseEngineName as EngineName } from '../source.ts';

/** The last path element of an image's name, and the engine that it runs. */
const engines: [RegExp, EngineName][] = [
  [
    /^(postgres|postgresql|postgis|timescaledb(-ha)?|pgvector|pgvecto-rs|cloudnative-pg|supabase-postgres)$/,
    'postgres',
  ],
  [/^(mysql|mysql-server|percona|percona-server)$/, 'mysql'],
  [/^(mariadb|mariadb-galera)$/, 'mariadb'],
  [/^(mongo|mongodb|mongodb-community-server|percona-server-mongodb)$/, 'mongodb'],
  [/^(redis|redis-stack|redis-stack-server|valkey|keydb|dragonfly)$/, 'redis'],
];

/** Returns the engine of an image such as `bitnami/postgresql:16` or `ghcr.io/x/mariadb@sha256:...`. */
export function engineOfImage(image: string): EngineName | undefined {
  const name = image.split('@')[0]!.split('/').at(-1)!.split(':')[0]!.toLowerCase();
  return engines.find(([pattern]) => pattern.test(name))?.[1];
}

type Variables = Readonly<Record<string, string>>;
/** How to log in to the server of a container, as far as its variables say. */
export interface DatabaseLogin {
  env: Record<string, string>;
  /** Files inside the container with values of `env`. */
  files: Record<string, string>;
  /** The database that the image creates. */
  database: string | null;
}

/** Reads the variables of the usual images. Programs that run beside the server need a user and its password. */
export function loginOf(engine: EngineName, variables: Variables, command: readonly string[]): DatabaseLogin {
  const first = (...names: string[]) => names.map((name) => variables[name]).find((value) => value);
  const secret = (target: string, ...names: string[]): Pick<DatabaseLogin, 'env' | 'files'> => {
    const value = first(...names);
    const file = first(...names.map((name) => `${name}_FILE`));
    return { env: value === undefined ? {} : { [target]: value }, files: !value && file ? { [target]: file } : {} };
  };
  if (engine === 'postgres') {
    const superuser = first('POSTGRESQL_POSTGRES_PASSWORD', 'POSTGRESQL_POSTGRES_PASSWORD_FILE')
      ? 'postgres'
      : undefined;
    const user = superuser ?? first('POSTGRES_USER', 'POSTGRESQL_USERNAME') ?? 'postgres';
    const password = secret('PGPASSWORD', 'POSTGRESQL_POSTGRES_PASSWORD', 'POSTGRES_PASSWORD', 'POSTGRESQL_PASSWORD');
    const database = first('POSTGRES_DB', 'POSTGRESQL_DATABASE') ?? user;
    return { env: { PGUSER: user, ...password.env }, files: password.files, database };
  }
  if (engine === 'mysql' || engine === 'mariadb') {
    const root = secret('MYSQL_PWD', 'MARIADB_ROOT_PASSWORD', 'MYSQL_ROOT_PASSWORD');
    const isRoot = Boolean(Object.keys({ ...root.env, ...root.files }).length) || hasEmptyRoot(variables);
    const user = isRoot ? 'root' : (first('MARIADB_USER', 'MYSQL_USER') ?? 'root');
    const own = isRoot ? root : secret('MYSQL_PWD', 'MARIADB_PASSWORD', 'MYSQL_PASSWORD');
    const database = first('MARIADB_DATABASE', 'MYSQL_DATABASE') ?? null;
    return { env: { MYSQL_USER_NAME: user, ...own.env }, files: own.files, database };
  }
  if (engine === 'mongodb') {
    const user = first('MONGO_INITDB_ROOT_USERNAME', 'MONGODB_ROOT_USER');
    const password = secret('MONGO_PASSWORD', 'MONGO_INITDB_ROOT_PASSWORD', 'MONGODB_ROOT_PASSWORD');
    const database = first('MONGO_INITDB_DATABASE', 'MONGODB_DATABASE') ?? null;
    return { env: { ...(user && { MONGO_USER: user }), ...password.env }, files: password.files, database };
  }
  const password = secret('REDISCLI_AUTH', 'REDIS_PASSWORD', 'VALKEY_PASSWORD', 'KEYDB_PASSWORD');
  const given = settingIn(command, 'requirepass');
  const port = settingIn(command, 'port') ?? first('REDIS_PORT_NUMBER', 'VALKEY_PORT_NUMBER');
  const env = { ...password.env, ...(given && { REDISCLI_AUTH: given }), ...(port && { PORT: port }) };
  return { ...password, env, database: null };
}

const hasEmptyRoot = (variables: Variables): boolean =>
  Object.entries(variables).some(
    ([name, value]) => /^(MARIADB|MYSQL)_ALLOW_EMPTY_(ROOT_)?PASSWORD$/.test(name) && value,
  );

/** `redis-server --requirepass secret`, also inside `sh -c`. */
function settingIn(command: readonly string[], name: string): string | undefined {
  const words = command.flatMap((each) => (each.includes(`--${name} `) ? each.split(/\s+/) : [each]));
  const at = words.indexOf(`--${name}`);
  return at < 0 ? undefined : words[at + 1]?.replaceAll(/^["']|["']$/g, '');
}

/** A database on this machine that a variable of an app names. */
export interface NamedDatabase {
  variable: string;
  engine: EngineName;
  database: string | null;
  env: Record<string, string>;
}

const schemes: Record<string, EngineName> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  mysql: 'mysql',
  mysql2: 'mysql',
  mariadb: 'mariadb',
  mongodb: 'mongodb',
  redis: 'redis',
  valkey: 'redis',
};
const here = new Set(['', 'localhost', '127.0.0.1', '[::1]']);

/** Finds URLs such as `postgres://user:password@localhost/shop`. Databases of other machines are not ours to dump. */
export function databasesInVariables(variables: Variables): NamedDatabase[] {
  const found = Object.entries(variables).flatMap(([variable, value]) => namedIn(variable, value) ?? []);
  const key = ({ engine, database, env }: NamedDatabase) =>
    JSON.stringify([engine, database, env['PGPORT'] ?? env['PORT']]);
  return [...new Map(found.toReversed().map((each) => [key(each), each])).values()].toReversed();
}

function namedIn(variable: string, value: string): NamedDatabase | undefined {
  // `postgres://user@/shop` is valid for databases, but not for `URL`.
  const text = value.replace(/^([a-z0-9+]+:\/\/[^/?#]*@)(?=[/?])/i, '$1localhost');
  if (!/^[a-z0-9+]+:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const engine = schemes[url.protocol.slice(0, -1).split('+')[0]!.toLowerCase()];
  if (!engine || !here.has(url.hostname)) return undefined;
  const part = (text: string) => decodeURIComponent(text);
  const [user, password, database] = [part(url.username), part(url.password), part(url.pathname.slice(1))];
  const socket = url.searchParams.get('host') ?? url.searchParams.get('socket') ?? '';
  const host = socket.startsWith('/') ? socket : '127.0.0.1';
  // Some libraries connect to the socket if no host is named.
  const env = environmentFor(engine, { user, password, host, port: url.port, database });
  return { variable, engine, database: (engine === 'redis' ? env['DB'] : database || user) || null, env };
}

type Address = { user: string; password: string; host: string; port: string; database: string };

function environmentFor(engine: EngineName, { user, password, host, port, database }: Address): Record<string, string> {
  const set = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  if (engine === 'postgres') return set({ PGUSER: user, PGPASSWORD: password, PGHOST: host, PGPORT: port });
  // Redis numbers its databases.
  const number = /^\d{1,4}$/.test(database) ? database : '0';
  if (engine === 'redis') return set({ REDISCLI_AUTH: password, REDIS_USER: user, HOST: host, PORT: port, DB: number });
  if (engine === 'mongodb') return set({ MONGO_USER: user, MONGO_PASSWORD: password, HOST: host, PORT: port });
  return set({ MYSQL_USER_NAME: user, MYSQL_PWD: password, HOST: host, PORT: port });
}
