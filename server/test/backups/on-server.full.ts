import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backupCalls } from '../rig/backups.ts';
import { newFolder } from '../rig/children.ts';
import { deploy, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { postgresData } from '../rig/data-images.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { sayFigures } from '../rig/figures.ts';
import { runIn } from '../rig/in-service.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { type Line, lineTo } from '../rig/server-line.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const password = 'never-shown';
const compose = `
services:
  web:
    image: node:22-slim
    command: node -e "require('http').createServer((_, r) => r.end('ok')).listen(3000)"
    ports: ['3000']
    volumes: ['files:/files']
    depends_on: [db]
  db:
    image: postgres:15
    environment: { POSTGRES_USER: shop, POSTGRES_PASSWORD: '${password}', POSTGRES_DB: shop }
    volumes: ['data:/var/lib/postgresql/data']
volumes: { files: {}, data: {} }
`;
const over = ['completed', 'failed', 'cancelled'];

type Rig = { docker: Docker; service: Service; fields: object; close(): Promise<void> };

/** A deployed stack with a database of about 40 MB and a volume of 60 MB, and helpers. */
function onStack(start: (env: Record<string, string>) => Promise<Rig>) {
  let rig: Rig;
  let root: string;
  const calls = backupCalls(() => rig.service);
  const { get, post } = calls;
  const on = { policyId: '', folder: '' };
  let project: string;
  let count = 0;

  beforeAll(async () => {
    root = newFolder('backups');
    const local = { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root };
    rig = await start({ MOORING_START_TIMEOUT: '20', ...local });
    await makeImage(rig.docker.client, nodeBase());
    await makeImage(rig.docker.client, postgresData());
    project = await ensureProject(rig.service, 'shop', rig.fields);
    expect(await deploy(rig.service, project, folderOf({ 'compose.yaml': compose }))).toMatchObject({ error: null });
    await until('the database accepts connections', () => sql('select 1') === '1', 60_000);
    sql('create table item (id int, body text)');
    sql('insert into item select g, repeat(md5(g::text), 4) from generate_series(1, 250000) g');
    inService('web', ['sh', '-c', 'cd /files && for i in 1 2 3 4 5 6; do head -c 10000000 /dev/urandom > f$i; done']);
  }, 240_000);
  afterAll(() => rig?.close());
  const usePolicy = async (more: object = {}) => {
    on.folder = `${root}/${++count}`;
    ({ policyId: on.policyId } = await calls.newPolicy(project, on.folder, more));
  };
  beforeEach(() => usePolicy());

  const inService = (service: string, args: string[], env: Record<string, string> = {}) =>
    runIn(rig.docker, service, args, env);
  const sql = (text: string) =>
    inService('db', ['psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', 'shop', '-c', text], {
      PGUSER: 'shop',
      PGPASSWORD: password,
    });
  /** Everything that a backup contains, as sums. */
  const state = () => ({
    rows: sql('select count(*), sum(hashtext(body)::bigint) from item'),
    files: inService('web', ['sh', '-c', 'cd /files && sha256sum * | sha256sum']),
  });
  const servicesRun = () =>
    until('the services run', () => inService('web', ['echo', 'up']) === 'up' && sql('select 1') === '1', 60_000);

  return {
    ...calls,
    on,
    usePolicy,
    inService,
    sql,
    state,
    servicesRun,
    get rig() {
      return rig;
    },
    /** Waits until the job is in a phase; false if it has ended before. */
    async inPhase(path: '/api/backups' | '/api/restores', id: string, phase: string): Promise<boolean> {
      const look = async () => (await get(`${path}/${id}`)).body.data;
      const found = await until(
        `${id} is ${phase}`,
        async () => {
          const now = await look();
          return now.progress.phase.startsWith(phase) || over.includes(now.status) ? now : undefined;
        },
        60_000,
        5,
      );
      return !over.includes(found!.status);
    },
    restoring: async (id: string): Promise<string> =>
      (await post(`/api/backups/${id}/restore`, { target: 'in-place', confirm: true })).body.data.id,
    /** A manifest marks a backup that is whole. */
    hasManifest: (id: string) =>
      existsSync(on.folder) &&
      readdirSync(on.folder, { recursive: true }).some((name) => String(name).endsWith(`${id}/manifest.json`)),
    leftDatabases: () => sql("select count(*) from pg_database where datname like 'mooring%'"),
  };
}
type OnStack = ReturnType<typeof onStack>;

const clear = /^(Docker does not respond|The connection to)/;
const phases = ['reading database', 'reading volume'];
const boundMs = 90_000;

/** A backup that a fault interrupts ends in time with the reason, and nothing looks whole. */
async function backupFails(on: OnStack, phase: string, delayMs: number, trouble: () => unknown): Promise<string> {
  const id = await on.begin(on.on.policyId);
  const isThere = await on.inPhase('/api/backups', id, phase);
  await sleep(delayMs);
  const began = Date.now();
  await trouble();
  const { status, error } = await on.finished('/api/backups', id);
  sayFigures(`${phase} + ${delayMs} ms`, { isThere, status, tookMs: Date.now() - began, error });
  expect(Date.now() - began).toBeLessThan(boundMs);
  expect(on.hasManifest(id)).toBe(status === 'completed');
  if (status === 'completed') return status;
  expect([status, error]).toEqual([
    'failed',
    { code: 'engine_away', message: expect.stringMatching(clear), hint: expect.any(String) },
  ]);
  return status;
}

/** A restore that a fault interrupts leaves everything as the backup is, or as it was. */
async function restoreIsWholeOrUndone(
  on: OnStack,
  phase: string,
  delayMs: number,
  trouble: () => unknown,
): Promise<string> {
  const wanted = on.state();
  const backup = await on.run(on.on.policyId);
  expect(backup).toMatchObject({ status: 'completed' });
  on.sql('delete from item where id % 3 = 0');
  on.inService('web', ['sh', '-c', 'cd /files && rm -f f1 && echo changed > f2']);
  const before = on.state();
  const id = await on.restoring(backup.id);
  const isThere = await on.inPhase('/api/restores', id, phase);
  await sleep(delayMs);
  const began = Date.now();
  await trouble();
  const { status, error } = await on.finished('/api/restores', id, 240_000);
  sayFigures(`${phase} + ${delayMs} ms`, { isThere, status, tookMs: Date.now() - began, error });
  if (status !== 'completed')
    expect(error).toMatchObject({ code: expect.stringMatching(/^(engine_away|restore_incomplete)$/) });
  await on.servicesRun();
  expect(on.state()).toEqual(status === 'completed' ? wanted : before);
  expect(on.leftDatabases()).toBe('0');
  if (status !== 'completed')
    expect(await on.restore(backup.id, { target: 'in-place', confirm: true })).toMatchObject({ status: 'completed' });
  expect(on.state()).toEqual(wanted);
  return status;
}

describe.runIf(has('docker') && has('sshd'))('backups of a project on a server', () => {
  let server: ManagedServer;
  let line: Line;
  const on = onStack(async (env) => {
    server = await startManagedServer();
    line = lineTo(server);
    const service = await startService({ env });
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    const { data } = await json<{ data: { id: string } }>(service.post('/api/servers', body));
    const close = async () => {
      await service.stop();
      await server.close();
    };
    return { docker: server.docker, service, fields: { serverId: data.id }, close };
  });
  afterEach(() => line?.restore());

  it('contain the database and the volume, are proven by a drill, restored in place and undone', async () => {
    const wanted = on.state();
    const backup = await on.run(on.on.policyId);
    expect(backup).toMatchObject({ status: 'completed', error: null });
    expect(backup.archives.map(({ name }) => name).toSorted()).toEqual(['database-db-shop', 'volume-files']);
    const { body } = await on.post(`/api/backup-policies/${on.on.policyId}/drill`);
    const drill = await on.finished('/api/restores', body.data.id);
    expect(drill).toMatchObject({ status: 'completed', proof: { result: expect.stringContaining('item|250000') } });
    const scratch = await on.restore(backup.id, { target: 'scratch' });
    expect(scratch).toMatchObject({ status: 'completed', error: null });

    on.sql('delete from item where id > 1000');
    on.inService('web', ['sh', '-c', 'cd /files && rm -f f1 && echo changed > f2']);
    const changed = on.state();
    const done = await on.restore(backup.id, { target: 'in-place', confirm: true });
    expect(done).toMatchObject({ status: 'completed', error: null, undoable: true });
    await on.servicesRun();
    expect(on.state()).toEqual(wanted);
    const undo = (await on.post(`/api/restores/${done.id}/undo`)).body.data.id;
    expect(await on.finished('/api/restores', undo)).toMatchObject({ status: 'completed' });
    await on.servicesRun();
    expect(on.state()).toEqual(changed);
    expect(await on.restore(backup.id, { target: 'in-place', confirm: true })).toMatchObject({ status: 'completed' });
    expect(on.state()).toEqual(wanted);
    expect(on.rig.service.output()).not.toContain(password);
  }, 240_000);

  it('are restored to another project on another machine', async () => {
    const { service } = on.rig;
    const backup = await on.run(on.on.policyId);
    const other = await ensureProject(service, 'copy');
    await service.post(`/api/projects/${other}/volumes`, { name: 'files', path: 'files' });
    const program = "require('http').createServer((_, r) => r.end('ok')).listen(process.env.PORT, process.env.HOST)";
    const manifest = JSON.stringify({ name: 'copy', scripts: { start: 'node server.js' } });
    await deploy(service, other, folderOf({ 'package.json': manifest, 'server.js': program }));
    const target = { target: 'in-place', confirm: true, projectId: other };
    const missing = await on.restore(backup.id, target);
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'source_missing' } });
    const done = await on.restore(backup.id, { ...target, sources: ['volume-files'] });
    expect(done).toMatchObject({ status: 'completed', error: null, projectId: other });
    const folder = join(service.dataDir, 'volumes', other, 'production', 'files');
    const sum = execFileSync('sh', ['-c', 'cd "$1" && sha256sum * | sha256sum', 'sh', folder], { encoding: 'utf8' });
    expect(sum.trim()).toBe(on.state().files);
  }, 240_000);

  it.each(phases)(
    'fail in time if the connection is cut while %s',
    async (phase) => {
      const outcomes: string[] = [];
      for (const delayMs of [0, 100, 300])
        outcomes.push(await backupFails(on, phase, delayMs, () => server.sshd.cut()));
      expect(outcomes).toContain('failed');
      expect(await on.run(on.on.policyId)).toMatchObject({ status: 'completed' });
    },
    300_000,
  );

  it('fail in time if the server does not respond any more, and services continue', async () => {
    await on.usePolicy({ consistency: 'pause' });
    expect(await backupFails(on, 'reading volume', 100, () => line.drop())).toBe('failed');
    line.restore();
    await on.servicesRun();
  }, 300_000);

  it.each([200, 1000])(
    'are restored or undone if the connection is cut while restoring the database (%s ms)',
    async (delayMs) => {
      await restoreIsWholeOrUndone(on, 'restoring database', delayMs, () => server.sshd.cut());
    },
    300_000,
  );

  it.each([200, 1000])(
    'are restored or undone if the connection is cut while restoring the volume (%s ms)',
    async (delayMs) => {
      await restoreIsWholeOrUndone(on, 'restoring volume', delayMs, () => server.sshd.cut());
    },
    300_000,
  );

  it.each(['restoring database', 'restoring volume'])(
    'are restored or undone if the server is away for a minute while %s',
    async (phase) => {
      await restoreIsWholeOrUndone(on, phase, 200, async () => {
        line.drop();
        await sleep(60_000);
        line.restore();
      });
    },
    400_000,
  );
});

describe.runIf(has('docker'))('kill -9 of the container engine', () => {
  const on = onStack(async (env) => {
    const docker = await startDocker();
    const service = await startService({ env: { ...env, ...onEngine(docker) } });
    const close = async () => {
      await service.stop();
      await docker.close();
    };
    return { docker, service, fields: {}, close };
  });
  const crash = async () => {
    await on.rig.docker.stop('SIGKILL');
    await sleep(500);
    await on.rig.docker.start();
  };

  it.each(phases)(
    'fails a backup while %s',
    async (phase) => {
      const outcomes: string[] = [];
      // Reading takes a few hundred milliseconds.
      for (const delayMs of [0, 150, 50, 100, 250, 400]) {
        outcomes.push(await backupFails(on, phase, delayMs, crash));
        await on.servicesRun();
        if (outcomes.includes('failed')) break;
      }
      expect(outcomes).toContain('failed');
      expect(await on.run(on.on.policyId)).toMatchObject({ status: 'completed' });
    },
    300_000,
  );

  it.each(
    ['restoring database', 'restoring volume'].flatMap((phase) => [100, 600].map((delayMs) => ({ phase, delayMs }))),
  )(
    'while $phase ($delayMs ms): it is restored or undone',
    async ({ phase, delayMs }) => {
      await restoreIsWholeOrUndone(on, phase, delayMs, crash);
    },
    300_000,
  );
});
