import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, folderOf } from './deploy.ts';
import { node } from './docker-images.ts';
import type { Docker } from './docker.ts';
import { postgresImage } from './postgres-image.ts';
import { redisImage } from './redis-image.ts';
import type { StackStage } from './stack-stage.ts';

type Built = 'web' | 'api' | 'worker';
type Lines = Record<string, unknown>;

/** The five services; each can be changed or broken individually. */
export interface Five {
  web?: string;
  api?: string;
  worker?: string;
  /** Additional arguments of the databases. */
  postgres?: string[];
  redis?: string[];
  /** How long API and worker retry while a database is unavailable. */
  patienceMs?: number;
  /** Compose settings that override or extend those of the services. */
  lines?: Partial<Record<Built | 'postgres' | 'redis' | 'migrate', Lines>>;
  /** Dockerfiles that override those of the services. */
  dockerfiles?: Partial<Record<Built, string>>;
}

const program = (name: string) => readFileSync(join(import.meta.dirname, 'five-services', `${name}.mjs`), 'utf8');
const tables =
  'create table if not exists orders (key text primary key); create table if not exists results (key text primary key, worker text)';
const psql = (sql: string) => [
  'psql',
  '-h',
  'postgres',
  '-U',
  'shop',
  '-d',
  'postgres',
  '-v',
  'ON_ERROR_STOP=1',
  '-c',
  sql,
];
const healthcheck = (...test: string[]) => ({ test: ['CMD', ...test], interval: '1s', timeout: '5s', retries: 30 });
const answers = `fetch('http://127.0.0.1:3000/').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
const isAlive = `process.exit(Date.now() - require('node:fs').statSync('/tmp/alive').mtimeMs < 10000 ? 0 : 1)`;
const databases = {
  migrate: { condition: 'service_completed_successfully' },
  postgres: { condition: 'service_healthy' },
  redis: { condition: 'service_healthy' },
};

/** Creates the tables, optionally with more statements. */
export const migration = (more = ''): Lines => ({ entrypoint: psql(`${tables}; ${more}`) });

/** The source of a shop's web server, API and worker on a real PostgreSQL and a real Redis. */
export function fiveServices({ web = 'v1', api = 'v1', worker = 'v1', lines = {}, ...five }: Five = {}): string {
  const environment = { PATIENCE_MS: String(five.patienceMs ?? 0) };
  const services: Record<string, Lines> = {
    web: { build: 'web', ports: ['3000'], depends_on: ['api'] },
    api: {
      build: 'api',
      ports: ['3000'],
      environment,
      depends_on: databases,
      healthcheck: healthcheck('node', '-e', answers),
    },
    worker: {
      build: 'worker',
      environment: { PATIENCE_MS: '60000' },
      depends_on: databases,
      restart: 'unless-stopped',
      healthcheck: healthcheck('node', '-e', isAlive),
    },
    migrate: {
      image: postgresImage().name,
      ...migration(),
      tmpfs: ['/data'],
      depends_on: { postgres: { condition: 'service_healthy' } },
    },
    postgres: {
      image: postgresImage().name,
      command: five.postgres ?? ['-c', 'max_connections=100'],
      stop_signal: 'SIGINT',
      volumes: ['orders:/data'],
      healthcheck: healthcheck('pg_isready', '-h', '127.0.0.1', '-U', 'shop'),
    },
    redis: {
      image: redisImage().name,
      command: five.redis ?? ['--maxmemory', '64mb'],
      volumes: ['jobs:/data'],
      healthcheck: healthcheck('redis-cli', 'ping'),
    },
  };
  for (const [name, more] of Object.entries(lines)) services[name] = { ...services[name], ...more };
  const built = Object.entries({ web, api, worker }).flatMap(([name, version]) => [
    [`${name}/program.mjs`, program(name)],
    [`${name}/clients.mjs`, program('clients')],
    [`${name}/Dockerfile`, five.dockerfiles?.[name as Built] ?? dockerfile(version)],
  ]);
  const compose = JSON.stringify({ services, volumes: { orders: null, jobs: null, uploads: null } }, null, 2);
  return folderOf({ 'compose.yaml': compose, ...(Object.fromEntries(built) as Record<string, string>) });
}

const dockerfile = (version: string) =>
  `FROM ${node.name}\nENV VERSION=${version}\nWORKDIR /app\nCOPY *.mjs ./\nCMD ["node", "program.mjs"]\n`;

export type ShopFigures = { web: string; api: string; orders: number; done: number; known: number; visits: number };

/** The figures on the page: the responding versions, rows of PostgreSQL (orders, results of the worker), and Redis's
 * values. */
export async function figuresOf(url: string): Promise<ShopFigures> {
  const { status, body } = await ask(url);
  const found = /^web (\S+) \/ api (\S+) orders (\d+) done (\d+) known (\d+) visits (\d+)$/.exec(body);
  if (status !== 200 || !found) throw new Error(`${status} ${body}`);
  const [, web = '', api = '', ...counts] = found;
  const [orders, done, known, visits] = counts.map(Number) as [number, number, number, number];
  return { web, api, orders, done, known, visits };
}

type Inspected = { State: { StartedAt: string } };

/** The container of each service and its start time, to verify that it was left alone. */
export async function sightings(rig: StackStage, projectId: string): Promise<Record<string, string>> {
  const startedAt = async ({ client }: Docker, id: string) =>
    (await client.json<Inspected>({ method: 'GET', path: `/containers/${id}/json` })).State.StartedAt;
  const running = Object.entries(await rig.running(projectId));
  const seen = running.map(async ([name, id]) => [name, `${id} since ${await startedAt(rig.docker, id)}`] as const);
  return Object.fromEntries(await Promise.all(seen));
}
