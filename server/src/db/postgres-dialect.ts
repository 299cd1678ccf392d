import { Client, Pool, types } from 'pg';
import type { Dialect } from 'kysely';
import type { AccessVersion } from './access-changes.ts';
import { accessChannel, AccessNotifications } from './access-notifications.ts';
import { CamelCasePostgresDialect } from './column-names.ts';
import { watchedClient } from './postgres-client.ts';

/** Kysely on PostgreSQL, with a pool of connections, and one more that is notified of access changes. */
export async function postgresDialect(
  connectionString: string,
  limits: object,
  warn: (message: string) => void = () => {},
): Promise<Dialect & { accessVersion: AccessVersion }> {
  types.setTypeParser(types.builtins.INT8, Number);
  const connection = { connectionString, ...limits };
  const pool = new Pool({
    ...connection,
    Client: watchedClient(Client, () => notifications.changed()),
    max: 10,
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
  return Object.assign(new CamelCasePostgresDialect({ pool }), { accessVersion: () => notifications.version() });
}
