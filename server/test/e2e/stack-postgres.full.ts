import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, ensureProject, folderOf } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { postgresImage } from '../rig/postgres-image.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { changes, type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';

const query = `const { execFile } = require('node:child_process');
const query = (sql) => new Promise((resolve, reject) => execFile('psql', ['-h', 'db', '-U', 'shop', '-d', 'postgres', '-tAc', sql], (error, out) => error ? reject(error) : resolve(out.trim())));`;
const stops = `process.on('SIGTERM', () => process.exit(0));`;

type Options = { web?: string; api?: string; connections?: number; apiTop?: string };

/** A web server, an API, a worker that writes continuously, and a real database. */
const shop = ({ web = 'v1', api = 'v1', connections = 40, apiTop = '' }: Options = {}) =>
  folderOf({
    'compose.yaml': `services:
  web:
    build: web
    ports: ["3000"]
    depends_on: [api]
  api:
    build: api
    tmpfs: ["/data"]
    healthcheck: { test: ["CMD", "node", "-e", "fetch('http://127.0.0.1:3000/').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"], interval: 500ms, timeout: 5s, retries: 60 }
    depends_on: { migrate: { condition: service_completed_successfully } }
  worker:
    build: worker
    tmpfs: ["/data"]
    depends_on: { migrate: { condition: service_completed_successfully } }
  migrate:
    image: ${postgresImage().name}
    entrypoint: ["psql", "-h", "db", "-U", "shop", "-d", "postgres", "-c", "create table if not exists orders (id serial primary key, at timestamptz default now())"]
    tmpfs: ["/data"]
    depends_on: { db: { condition: service_healthy } }
  db:
    image: ${postgresImage().name}
    stop_signal: SIGINT
    command: ["-c", "max_connections=${connections}"]
    volumes: ["data:/data"]
    healthcheck: { test: ["CMD", "pg_isready", "-h", "127.0.0.1", "-U", "shop"], interval: 500ms, timeout: 3s, retries: 60 }
volumes:
  data:
`,
    'web/Dockerfile': `FROM ${node.name}\nCOPY server.js /\nCMD ["node", "/server.js"]\n`,
    'web/server.js': `const http = require('node:http');
http.createServer((q, s) => http.get('http://api:3000/', { agent: false }, (a) => { let text = ''; a.on('data', (each) => text += each); a.on('end', () => s.end('web ${web} / ' + a.statusCode + ' ' + text)); }).on('error', (e) => s.end('web ${web} / broken ' + e.code))).listen(3000); ${stops}`,
    'api/Dockerfile': `FROM ${postgresImage().name}\nCOPY server.js /\nENTRYPOINT ["node", "/server.js"]\n`,
    'api/server.js': `${apiTop}\n${query}
const server = require('node:http').createServer(async (q, s) => { try { s.end('api ${api} ' + await query('select count(*) from orders')); } catch { s.statusCode = 503; s.end('api ${api} waits for its database'); } }).listen(3000);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
    'worker/Dockerfile': `FROM ${postgresImage().name}\nCOPY worker.js /\nENTRYPOINT ["node", "/worker.js"]\n`,
    'worker/worker.js': `${query}\nsetInterval(() => query('insert into orders default values').catch(() => {}), 300); ${stops}`,
  });

describe.runIf(has('docker') && has('postgres'))('several services with a real database', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  beforeAll(async () => {
    rig = await startStackStage({ MOORING_START_TIMEOUT: '60' });
    await makeImage(rig.docker.client, postgresImage());
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, shop());
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls[0]!;
  }, 240_000);
  afterAll(() => rig?.close(), 120_000);
  const orders = async () => {
    const { body } = await ask(url);
    const found = /200 api v\d+ (\d+)$/.exec(body)?.[1];
    if (found === undefined) throw new Error(body);
    return Number(found);
  };

  it('change without a failed request while the database stays', async () => {
    const before = await orders();
    const asking = askAllTheTime(url, 2);
    const second = await rig.deployed(project, shop({ web: 'v2', api: 'v2' }));
    expect(changes(second), JSON.stringify(second)).toEqual({
      web: 'replace',
      api: 'replace',
      worker: 'unchanged',
      migrate: 'unchanged',
      db: 'unchanged',
    });
    const half = await rig.deployed(project, shop({ web: 'v3', api: 'v3', apiTop: 'process.exit(1);' }));
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ web: 'ready', api: 'failed' });
    await rig.done(half.id, 'reject');
    const answers = await asking.stop();
    sayFigures('answers', Object.fromEntries(answers));
    expect([...answers.keys()].filter((each) => !/^200 web v\d . 200 api v/.test(each))).toEqual([]);
    expect(await orders()).toBeGreaterThan(before);
    await untilTidy(rig.docker, rig.service().dataDir);
  }, 240_000);

  it('keep their data when the database is replaced, restored, and after a rollback', async () => {
    const before = await orders();
    const next = await rig.deployed(project, shop({ web: 'v2', api: 'v2', connections: 60 }));
    expect(
      next.services.find(({ name }) => name === 'db'),
      JSON.stringify(next),
    ).toMatchObject({ change: 'replace', status: 'ready', strategy: 'stop_first' });
    expect(await orders()).toBeGreaterThanOrEqual(before);
    const failed = await rig.deployed(project, shop({ web: 'v2', api: 'v2', connections: -1 }));
    expect([failed.status, failed.error?.message], JSON.stringify(failed)).toEqual([
      'partial_failure',
      expect.stringContaining('max_connections'),
    ]);
    expect((await rig.act(failed.id, 'reject')).status).toBe(200);
    expect(await orders()).toBeGreaterThanOrEqual(before);
    const answer = (await (await rig.act(next.id, 'redeploy')).json()) as { deployment_id: string };
    expect(changes(await rig.settled(answer.deployment_id))).toMatchObject({ db: 'unchanged', api: 'unchanged' });
    await untilTidy(rig.docker, rig.service().dataDir);
  }, 240_000);
});
