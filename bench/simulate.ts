import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endRun, newFolder, rigFolder } from '../server/test/rig/children.ts';
import { newDatabase, query, startPostgres } from '../server/test/rig/postgres.ts';
import { limitConcurrency } from '../server/src/lib/concurrency.ts';
import { newDataDir, token } from './processes.ts';
import { callApi, untilDeploymentEnded, newLoad } from './simulated-load.ts';
import type { BenchmarkRow } from './table.ts';

const sizes = {
  servers: Number(process.env['SIMULATED_SERVERS'] ?? 1000),
  projects: Number(process.env['SIMULATED_PROJECTS'] ?? 10_000),
  deploymentsPerMinute: 100,
};
/** Longer than a round of upkeep. */
const roundMs = 12_000;
const settleMs = 240_000;
const measureMs = Number(process.env['SIMULATED_SECONDS'] ?? 20) * 1000;

type Service = { child: ChildProcess; urls: string[]; order: <T>(what: string, more?: object) => Promise<T> };
type Usage = { cpu: { user: number; system: number }; memory: number; instances: number; routed: number };

/** A large instance against the real control plane: two replicas on PostgreSQL, with servers that exist in memory. */
export async function simulate(): Promise<BenchmarkRow[]> {
  const postgres = await startPostgres(['shared_preload_libraries=pg_stat_statements', 'shared_buffers=512MB']);
  const database = await newDatabase(postgres.url);
  await query(database, 'create extension pg_stat_statements');
  const service = await startService(database);
  try {
    const projectId = await setUp(service);
    const rows: BenchmarkRow[] = [];
    const began = performance.now();
    await settled(service);
    const settledSeconds = Math.round((performance.now() - began) / 1000);
    rows.push({ what: 'all releases start again, and get their routes', measured: `${settledSeconds} s` });
    // Ends the round that follows the change of the last route.
    await sleep(roundMs);
    rows.push(...(await measured('idle', service, database, postgres.pid(), () => sleep(measureMs))));
    const { deploymentsPerMinute } = sizes;
    const at = { urls: service.urls, database, template: projectId };
    const load = newLoad({ ...at, deploymentsPerMinute, forMs: measureMs });
    rows.push(...(await measured('load', service, database, postgres.pid(), () => load.run())));
    rows.push(...load.figures(), ...(await sizeOf(database)));
    return rows;
  } finally {
    service.child.kill('SIGKILL');
    await postgres.stop();
    endRun(rigFolder());
  }
}

async function startService(databaseUrl: string): Promise<Service> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'simulated-service.ts')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: databaseUrl,
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_DATA_DIR: newDataDir(),
      MOORING_ADMIN_TOKEN: token,
      MOORING_REQUEST_LIMIT: '0',
      MOORING_BUILDS_AT_ONCE: '4',
      MOORING_ACME_DIRECTORY: 'none',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async <T>() => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the simulated service ended; see its messages above');
    return JSON.parse(value as string) as T;
  };
  const { urls } = await next<{ urls: string[] }>();
  const order = <T>(what: string, more = {}) => {
    child.stdin!.write(`${JSON.stringify({ what, ...more })}\n`);
    return next<T>();
  };
  return { child, urls, order };
}

/** Creates the servers and one project with the API, and copies the project. Returns its id. */
async function setUp({ urls: [url = ''], order }: Service): Promise<string> {
  const limit = limitConcurrency(4);
  const create = async (_: unknown, n: number) => {
    // Refuses at once; the service looks for its host key.
    const body = { name: `server-${n}`, host: '127.0.0.1', port: 1, user: 'root', password: 'x' };
    return (await limit(() => callApi<{ data: { id: string } }>(url, '/api/servers', body))).data.id;
  };
  const servers = await Promise.all(Array.from({ length: sizes.servers }, create));
  const path = newFolder('source');
  writeFileSync(join(path, 'server.js'), 'the runtime does not start it');
  const source = { type: 'local', path };
  const project = { name: 'template', source, startCommand: 'node server.js', serverId: servers[0] };
  const { id } = (await callApi<{ data: { id: string } }>(url, '/api/projects', project)).data;
  await order('start');
  const { deployment_id: deployment } = await callApi<{ deployment_id: string }>(url, '/api/deployments/build/access', {
    projectId: id,
  });
  await untilDeploymentEnded(url, deployment);
  await order('seed', { projectId: id, servers, count: sizes.projects - 1 });
  return id;
}

/** Every release runs and has its routes, so nothing is left to do. */
async function settled({ order }: Service): Promise<void> {
  for (const end = Date.now() + settleMs; ; await sleep(1000)) {
    const { instances, routed } = await order<Usage>('usage');
    if (process.env['SIMULATED_QUERIES']) console.log(`${instances} releases run, ${routed} have routes`);
    if (Math.min(instances, routed) >= sizes.projects) return;
    if (Date.now() > end)
      throw new Error(`after ${settleMs / 1000} s only ${instances} of ${sizes.projects} releases run`);
  }
}

const counters = `select (select sum(calls) from pg_stat_statements)::float as calls,
  (select coalesce(sum(calls), 0) from pg_stat_statements where query ilike '%pg_notify%')::float as notified,
  (select sum(xact_commit) from pg_stat_database where datname = current_database())::float as commits,
  (select count(*) from pg_stat_activity where datname = current_database())::float - 1 as connections`;
type Counters = Record<'calls' | 'notified' | 'commits' | 'connections', number>;

async function measured(
  what: string,
  { order }: Service,
  database: string,
  postgres: number,
  act: () => Promise<unknown>,
): Promise<BenchmarkRow[]> {
  await query(database, 'select pg_stat_statements_reset()');
  const [before, used, dbUsed] = [await counted(database), await order<Usage>('usage'), cpuTicks(postgres)];
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1000;
  const [after, now, dbNow] = [await counted(database), await order<Usage>('usage'), cpuTicks(postgres)];
  const perSecond = (name: keyof Counters) => Math.round((after[name] - before[name]) / seconds);
  const cpu = (now.cpu.user + now.cpu.system - used.cpu.user - used.cpu.system) / 1e6 / seconds;
  if (process.env['SIMULATED_QUERIES']) await showQueries(database, seconds);
  return [
    { what: `${what}: queries per second`, measured: String(perSecond('calls')) },
    { what: `${what}: transactions per second`, measured: String(perSecond('commits')) },
    { what: `${what}: notifications per second`, measured: String(perSecond('notified')) },
    { what: `${what}: connections`, measured: String(after.connections) },
    { what: `${what}: CPU of both replicas`, measured: `${Math.round(cpu * 100)} % of a core` },
    {
      what: `${what}: CPU of PostgreSQL`,
      measured: `${Math.round(((dbNow - dbUsed) / 100 / seconds) * 100)} % of a core`,
    },
    { what: `${what}: memory of both replicas`, measured: `${Math.round(now.memory / 1e6)} MB` },
    { what: `${what}: load average of the machine`, measured: loadavg()[0]!.toFixed(1) },
  ];
}

const counted = async (database: string) => (await query(database, counters))[0] as Counters;

/** The statements that cost most, to find where it bends. */
async function showQueries(database: string, seconds: number): Promise<void> {
  const text = `select calls, round(total_exec_time::numeric) as ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 150) as query
    from pg_stat_statements order by total_exec_time desc limit 12`;
  console.table((await query(database, text)).map((row) => ({ ...row, perSecond: Number(row['calls']) / seconds })));
}

/** Of PostgreSQL and its processes, in hundredths of a second. */
function cpuTicks(postgres: number): number {
  const ticks = (pid: string) => {
    // One that has just ended is counted below from the next time on.
    if (!existsSync(`/proc/${pid}/stat`)) return 0;
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return Number(fields[11]) + Number(fields[12]);
  };
  const children = readFileSync(`/proc/${postgres}/task/${postgres}/children`, 'utf8')
    .trim()
    .split(' ')
    .filter(Boolean);
  // Counts processes that have ended, too.
  const main = readFileSync(`/proc/${postgres}/stat`, 'utf8').split(') ')[1]!;
  const ended = Number(main.split(' ')[13]) + Number(main.split(' ')[14]);
  return [String(postgres), ...children].reduce((sum, pid) => sum + ticks(pid), ended);
}

async function sizeOf(database: string): Promise<BenchmarkRow[]> {
  await query(database, 'analyze');
  const text = `select sum(reltuples)::float as rows, pg_database_size(current_database())::float as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const [{ rows, bytes }] = (await query(database, text)) as [{ rows: number; bytes: number }];
  return [
    { what: 'rows, size of the database', measured: `${Math.round(rows / 1000)},000, ${Math.round(bytes / 1e6)} MB` },
  ];
}
