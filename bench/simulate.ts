import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { endRun, newFolder, rigFolder } from '../server/test/rig/children.ts';
import { newDatabase, query, startPostgres } from '../server/test/rig/postgres.ts';
import { newDataDir, token } from './processes.ts';
import type { Row } from './table.ts';

const sizes = {
  servers: Number(process.env['SIMULATED_SERVERS'] ?? 1000),
  projects: Number(process.env['SIMULATED_PROJECTS'] ?? 10_000),
  deploymentsPerMinute: 100,
};
const measureMs = Number(process.env['SIMULATED_SECONDS'] ?? 20) * 1000;

type Service = { child: ChildProcess; urls: string[]; order: <T>(what: string, more?: object) => Promise<T> };
type Usage = { cpu: { user: number; system: number }; memory: number; instances: number };

/** A large instance against the real control plane: two replicas on PostgreSQL, with servers that exist in memory. */
export async function simulate(): Promise<Row[]> {
  const postgres = await startPostgres(['shared_preload_libraries=pg_stat_statements', 'shared_buffers=512MB']);
  const database = await newDatabase(postgres.url);
  await query(database, 'create extension pg_stat_statements');
  const service = await startService(database);
  try {
    const projectId = await setUp(service);
    const rows: Row[] = [];
    const began = performance.now();
    await settled(service);
    const settledSeconds = Math.round((performance.now() - began) / 1000);
    rows.push({ what: 'first round of upkeep over all servers', measured: `${settledSeconds} s` });
    rows.push(...(await measured('idle', service, database, postgres.pid(), () => sleep(measureMs))));
    const load = newLoad(service, database, projectId);
    rows.push(...(await measured('load', service, database, postgres.pid(), () => load.run())));
    rows.push(...(await load.figures()), ...(await sizeOf(database)));
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
  const next = async <T>() => JSON.parse((await lines.next()).value as string) as T;
  const { urls } = await next<{ urls: string[] }>();
  const order = <T>(what: string, more = {}) => {
    child.stdin!.write(`${JSON.stringify({ what, ...more })}\n`);
    return next<T>();
  };
  return { child, urls, order };
}

/** Creates the servers and one project with the API, and copies the project. Returns its id. */
async function setUp({ urls: [url = ''], order }: Service): Promise<string> {
  const servers: string[] = [];
  for (let n = 0; n < sizes.servers; n++) {
    // Refuses at once; the service looks for its host key.
    const body = { name: `server-${n}`, host: '127.0.0.1', port: 1, user: 'root', password: 'x' };
    servers.push((await call<{ data: { id: string } }>(url, '/api/servers', body)).data.id);
  }
  const path = newFolder('source');
  writeFileSync(join(path, 'server.js'), 'the runtime does not start it');
  const source = { type: 'local', path };
  const project = { name: 'template', source, startCommand: 'node server.js', serverId: servers[0] };
  const { id } = (await call<{ data: { id: string } }>(url, '/api/projects', project)).data;
  await order('start');
  const { deployment_id: deployment } = await call<{ deployment_id: string }>(url, '/api/deployments/build/access', {
    projectId: id,
  });
  await ended(url, deployment);
  await order('seed', { projectId: id, servers, count: sizes.projects - 1 });
  return id;
}

async function ended(url: string, id: string): Promise<void> {
  for (;;) {
    const { data } = await call<{ data: { status: string; error: object | null } }>(url, `/api/deployments/${id}`);
    if (data.status === 'ready') return;
    if (data.error) throw new Error(JSON.stringify(data.error));
    await sleep(200);
  }
}

async function call<T>(url: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(
    url + path,
    body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers },
  );
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** Every release runs, so nothing is left to revive. */
async function settled({ order }: Service): Promise<void> {
  for (const end = Date.now() + 600_000; ; await sleep(1000)) {
    const { instances } = await order<Usage>('usage');
    if (process.env['SIMULATED_QUERIES']) console.log(`${instances} releases run`);
    if (instances >= sizes.projects) return;
    if (Date.now() > end) throw new Error(`only ${instances} of ${sizes.projects} releases run after 10 minutes`);
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
): Promise<Row[]> {
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

/** Deploys at a steady rate, each time another project, through both replicas in turns; and lists meanwhile. */
function newLoad({ urls }: Service, database: string, template: string) {
  const times: Record<string, number[]> = { deploy: [], 'list of projects': [], 'list of deployments': [], total: [] };
  const timed = async (what: string, act: () => Promise<unknown>) => {
    const began = performance.now();
    await act();
    times[what]!.push(performance.now() - began);
  };
  async function run(): Promise<void> {
    const some = await query(
      database,
      `select id from projects where id <> '${template}' order by random() limit ${sizes.deploymentsPerMinute}`,
    );
    const end = Date.now() + measureMs;
    const lists = async () => {
      for (let n = 0; Date.now() < end; n++) {
        await timed('list of projects', () => call(urls[n % 2]!, '/api/projects'));
        await timed('list of deployments', () => call(urls[n % 2]!, '/api/deployments'));
        await sleep(200);
      }
    };
    const deploys = async () => {
      const open: Promise<void>[] = [];
      for (let n = 0; Date.now() < end; n++, await sleep(60_000 / sizes.deploymentsPerMinute)) {
        const url = urls[n % 2]!;
        let id = '';
        await timed('deploy', async () => {
          const body = { projectId: some[n % some.length]!['id'] };
          const { deployment_id: made } = await call<{ deployment_id: string }>(
            url,
            '/api/deployments/build/access',
            body,
          );
          id = made;
        });
        open.push(timed('total', () => ended(url, id)));
      }
      await Promise.all(open);
    };
    await Promise.all([lists(), deploys()]);
  }
  const figures = async (): Promise<Row[]> =>
    Object.entries(times).map(([what, all]) => ({
      what: what === 'total' ? 'deployment, request to ready (median, 95 %)' : `${what} (median, 95 %)`,
      measured: `${percentile(all, 0.5)} ms, ${percentile(all, 0.95)} ms of ${all.length}`,
    }));
  return { run, figures };
}

const percentile = (all: number[], part: number): number =>
  Math.round(all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0);

async function sizeOf(database: string): Promise<Row[]> {
  await query(database, 'analyze');
  const text = `select sum(reltuples)::float as rows, pg_database_size(current_database())::float as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`;
  const [{ rows, bytes }] = (await query(database, text)) as [{ rows: number; bytes: number }];
  return [
    { what: 'rows, size of the database', measured: `${Math.round(rows / 1000)},000, ${Math.round(bytes / 1e6)} MB` },
  ];
}
