import { Client, Pool, type PoolClient, types } from 'pg';
import type { Dialect, PostgresPool } from 'kysely';
import { limitConcurrency } from '../lib/concurrency.ts';
import type { AccessVersion } from './access-changes.ts';
import { accessChannel, AccessNotifications } from './access-notifications.ts';
import { CamelCasePostgresDialect } from './column-names.ts';
import { watchedClient } from './postgres-client.ts';

const connections = 10;
/** Work in the background gets no more of them, and waits without a time limit: requests never wait for all of it. */
const connectionsInBackground = 4;

/** Kysely on PostgreSQL, with a pool of connections, and one more that is notified of access changes. */
export async function postgresDialect(
  connectionString: string,
  limits: object,
  warn: (message: string) => void = () => {},
): Promise<Dialect & { accessVersion: AccessVersion; background: Dialect }> {
  types.setTypeParser(types.builtins.INT8, Number);
  const connection = { connectionString, ...limits };
  const pool = new Pool({
    ...connection,
    Client: watchedClient(Client, () => notifications.changed()),
    max: connections,
    connectionTimeoutMillis: 5000,
    // A replica that hangs or is cut off in a transaction must not block rows for all others.
    idle_in_transaction_session_timeout: 10_000,
  });
  // The pool replaces a broken connection, and its user sees the next statement fail. Without an error listener, in
  // the pool or between two statements of a transaction, it would crash the process.
  const broke = (error: Error) => warn(`a database connection broke: ${error.message}`);
  pool.on('error', broke).on('connect', (client) => client.on('error', broke));
  const notifications = new AccessNotifications({
    async connect() {
      const client = new Client({ ...connection, connectionTimeoutMillis: 5000, keepAlive: true });
      // An error without a listener crashes the process, also one while it connects.
      client.on('error', () => {});
      await client.connect();
      return client;
    },
    notify: (payload) => pool.query('select pg_notify($1, $2)', [accessChannel, payload]),
    warn,
  });
  const end = pool.end.bind(pool) as () => Promise<void>;
  pool.end = async () => {
    await notifications.close();
    await end();
  };
  return Object.assign(new CamelCasePostgresDialect({ pool }), {
    accessVersion: () => notifications.version(),
    background: new CamelCasePostgresDialect({ pool: withFewer(pool, connectionsInBackground) }),
  });
}

/** Lends a few connections of the pool at once. Ending it is left to the owner of the pool. */
function withFewer(pool: Pool, most: number): PostgresPool {
  const limit = limitConcurrency(most);
  const lend = async (lent: (client: PoolClient) => void) => {
    const client = await pool.connect();
    const release = client.release.bind(client);
    const returned = new Promise<void>((resolve) => {
      client.release = (error) => {
        release(error);
        resolve();
      };
    });
    lent(client);
    await returned;
  };
  return {
    connect: () => new Promise<PoolClient>((resolve, reject) => void limit(() => lend(resolve)).catch(reject)),
    end: async () => {},
    options: pool.options,
  };
}
