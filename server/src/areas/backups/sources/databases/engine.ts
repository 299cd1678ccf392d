import type { DatabaseTools } from '../tools.ts';

/** How to reach a database server: where its programs run, and the variables that they get. */
export interface DatabaseServer {
  tools: DatabaseTools;
  /** User, password and host, as the variables of the database's own programs. */
  login: Record<string, string>;
}

/** A database server whose databases are dumped and loaded by programs. Names are never part of a command line or of
 * SQL without being quoted by the engine's rules. */
export interface DatabaseEngine {
  /** Name of the dump in an archive. */
  file: string;
  /** Finds out how to connect; throws if the server does not answer. */
  connect(server: DatabaseServer): Promise<DatabaseServer>;
  /** Whether a new server is initialized. */
  isReady(server: DatabaseServer): Promise<boolean>;
  /** Databases of users, without those of the system. */
  list(server: DatabaseServer): Promise<string[]>;
  dump(server: DatabaseServer, database: string, onOutput: (chunk: Buffer) => Promise<void>): Promise<void>;
  /** Loads a dump into a new database. */
  load(server: DatabaseServer, dump: DatabaseDump, database: string): Promise<void>;
  /** Replaces a database as a whole, or leaves it untouched. `temporary` is a name that only this job uses. */
  replace(server: DatabaseServer, dump: DatabaseDump, database: string, temporary: string): Promise<void>;
  /** Does nothing if there is no such database. */
  drop(server: DatabaseServer, database: string): Promise<void>;
  /** Counts the rows of each table, or runs the query, which must not change anything. */
  prove(server: DatabaseServer, database: string, query: string | null): Promise<{ query: string; result: string }>;
}

/** The dump to load. */
export interface DatabaseDump {
  /** Can be read several times. */
  read(): AsyncIterable<Buffer>;
  /** Into another server, which lacks the users of the original. */
  isElsewhere: boolean;
  say: (line: string) => void;
}

export const rowsOf = (output: string): string[] => output.split('\n').filter(Boolean);

/** Text as the standard input of a program. */
export async function* textInput(text: string): AsyncGenerator<Buffer> {
  if (text) yield Buffer.from(text);
}

/** Connects as the login says, or else over TCP: some images have their socket elsewhere. `host` is the variable of the
 * login that names the host. */
export async function connectOrTcp(
  server: DatabaseServer,
  host: string,
  ask: (server: DatabaseServer) => Promise<unknown>,
): Promise<DatabaseServer> {
  try {
    await ask(server);
    return server;
  } catch (error) {
    if (server.login[host] || (error as { code?: string }).code !== 'tool_failed') throw error;
    const overTcp = { ...server, login: { ...server.login, [host]: '127.0.0.1' } };
    return ask(overTcp).then(
      () => overTcp,
      () => Promise.reject(error as Error),
    );
  }
}
