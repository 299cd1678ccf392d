import { join } from 'node:path';
import type { InjectOptions } from 'fastify';
import { type App, createApp, type Drivers } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type Database, type DatabaseKind, openDatabase } from '../../src/db/database.ts';
import { openInstance } from '../../src/db/instance.ts';
import type { Route } from '../../src/http/define-route.ts';
import { fileKeyRing } from '../../src/lib/key-ring.ts';
import { createLog } from '../../src/lib/log.ts';
import { setPasswordCost } from '../../src/lib/password.ts';
import { createSealer, type Sealer } from '../../src/lib/seal.ts';
import { newFolder } from './children.ts';
import { migratedDatabase } from './databases.ts';
import { memoryDrivers } from './drivers.ts';

export const ownerEmail = 'owner@example.com';
export const ownerPassword = 'correct horse battery';
export const ownerToken = `mrg_pat_${'o'.repeat(43)}`;

export type Answer = {
  status: number;
  body: Record<string, never>;
  text: string;
  headers: Record<string, string | string[] | undefined>;
};
type CallOptions = { token?: string; cookie?: string; body?: unknown; headers?: Record<string, string> };

export interface TestApp extends App {
  database: Database;
  /** Needed to start another replica of it. */
  instance: Instance;
  /** Calls a route in this process. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

type Instance = {
  settings: { dataDir: string; databaseUrl: string | undefined };
  keyPath: string;
  sealer: Sealer;
  drivers: Drivers;
  folder: string;
};

type Options = {
  /** Another replica of the same instance, with its own name. */
  replica?: { of: TestApp; name: string };
  env?: Record<string, string>;
  routes?: Route[];
  onStatement?: (sql: string) => void;
  withoutOwner?: boolean;
  drivers?: Drivers;
  /** The test's own database instead of a new one. */
  databaseUrl?: string;
};

/** Starts the service in this process, on its own database, with an owner and the owner's token. */
export async function startApp(
  kind: DatabaseKind = 'sqlite',
  { replica, env = {}, routes = [], onStatement, withoutOwner, drivers, databaseUrl }: Options = {},
): Promise<TestApp> {
  // With the usual one, passwords would take a twentieth of the time of all tests.
  setPasswordCost({ memory: 64, passes: 1, parallelism: 1, tagLength: 32 });
  const instance = replica?.of.instance ?? (await newInstance(kind, drivers, databaseUrl));
  const { settings, sealer, folder } = instance;
  const database = await openDatabase({ ...settings, ...(onStatement && { onStatement }) });
  const { id: instanceId } = await openInstance(database.db, sealer);
  const config = readConfig({ MOORING_LOG_LEVEL: 'silent', MOORING_DATA_DIR: folder, ...env });
  const openApiFile = join(import.meta.dirname, '../../openapi.json');
  const app = createApp({
    config,
    database,
    sealer,
    instanceId,
    owner: replica?.name ?? 'test',
    drivers: instance.drivers,
    log: createLog('silent', 'json'),
    openApiFile,
    webFolder: '',
    extraRoutes: routes,
  });
  app.access.links.setBase('http://mooring.test');
  const owner = { email: ownerEmail, name: 'Olga Owner', password: ownerPassword, organizationName: 'First' };
  if (!withoutOwner && !replica) await app.access.setup.unattended(owner, ownerToken);
  return {
    ...app,
    database,
    instance,
    call: (method, path, options) => call(app, method, path, options),
    async close() {
      await app.stop();
      await database.db.destroy();
    },
  };
}

async function newInstance(kind: DatabaseKind, drivers = memoryDrivers(), databaseUrl?: string): Promise<Instance> {
  const keyPath = join(newFolder('key'), 'secret.key');
  const keys = fileKeyRing(keyPath);
  keys.file!.create();
  return {
    keyPath,
    settings: databaseUrl === undefined ? await migratedDatabase(kind) : { dataDir: newFolder('data'), databaseUrl },
    sealer: createSealer(keys),
    drivers,
    folder: newFolder('data'),
  };
}

/** Sends one request to a server that does not listen. */
export async function call(
  app: Pick<App, 'server'>,
  method: string,
  path: string,
  { token, cookie, body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const proof = cookie && proofOf(cookie);
  // As from a socket, a request arrives in a turn of the event loop after that of the previous response.
  await new Promise(setImmediate);
  const response = await app.server.inject({
    method: method as InjectOptions['method'] & string,
    url: path,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(cookie && { cookie }),
      ...(proof && { 'x-session-proof': proof }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && {
      payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    }),
  });
  const isJson = String(response.headers['content-type']).startsWith('application/json');
  if (isJson) keepProof(response.headers['set-cookie'], response.json());
  return {
    status: response.statusCode,
    body: isJson ? response.json() : {},
    text: response.body,
    headers: response.headers as Answer['headers'],
  };
}

/** The session proof to send with each cookie, as our own pages do. A test can override the header. */
const proofs = new Map<string, string>();
export const proofOf = (cookie: string): string | undefined => proofs.get(cookie);

function keepProof(cookies: string | string[] | undefined, { data }: { data?: { sessionProof?: string } }): void {
  const cookie = String(cookies ?? '').split(';')[0]!;
  if (cookie && data?.sessionProof) proofs.set(cookie, data.sessionProof);
}
