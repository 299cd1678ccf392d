import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  ask,
  askAllTheTime,
  begin,
  deploy,
  ended,
  ensureProject,
  events,
  folderOf,
  get,
  json,
  nodeApp,
} from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { newDatabase } from '../rig/postgres.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

const examples = join(import.meta.dirname, '../../../examples');

describe('deployments on a machine without Docker', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { MOORING_START_TIMEOUT: '10', MOORING_LOG_LEVEL: 'warn' } });
  });
  afterAll(() => service.stop());

  const act = (id: string, action: string, body: object = {}) => service.post(`/api/deployments/${id}/${action}`, body);

  it('serves a static site', async () => {
    const project = await ensureProject(service, 'site');
    const folder = folderOf({ 'mooring.json': '{}' });
    cpSync(join(examples, 'static-site'), folder, { recursive: true });
    const { status, urls, active } = await deploy(service, project, folder);
    expect({ status, active }).toEqual({ status: 'ready', active: true });
    expect((await ask(urls[0]!)).body).toContain('A static site');
    for (const path of ['/nothing-here', '/mooring.json']) expect((await ask(urls[0]!, path)).status).toBe(404);
    expect((await ask(urls[0]!, '/../../etc/passwd')).status).toBeGreaterThanOrEqual(400);
  });

  it('keeps only the output of a site, and redeploys and rolls back to it', async () => {
    const project = await ensureProject(service, 'built-site', { outputDirectory: 'dist' });
    const build =
      'mkdir -p node_modules/x dist && head -c 3000000 /dev/zero > node_modules/x/big && cp page dist/index.html';
    const siteOf = (text: string) =>
      folderOf({ page: text, 'package.json': JSON.stringify({ name: 'site', scripts: { build } }) });
    const filesOf = (id: string) =>
      readdirSync(join(service.dataDir, 'releases', id), { recursive: true, encoding: 'utf8' }).toSorted();
    const first = await deploy(service, project, siteOf('first'));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    expect(filesOf(first.id)).toEqual(['dist', 'dist/index.html']);
    expect((await events(service, first.id)).map(({ data }) => data['line'])).toContainEqual(
      expect.stringMatching(/^The release takes (?:\d+ B|\d\.\d kB)$/),
    );
    await deploy(service, project, siteOf('second'));
    expect((await ask(url)).body).toBe('second');
    type Started = { deployment_id: string };
    const { deployment_id: back } = await json<Started>(act(first.id, 'rollback'));
    expect(await ended(service, back)).toMatchObject({ status: 'ready', active: true });
    expect((await ask(url)).body).toBe('first');
    const { deployment_id: again } = await json<Started>(act(first.id, 'redeploy', { useExistingCommit: true }));
    expect(await ended(service, again)).toMatchObject({ status: 'ready', active: true });
    expect((await ask(url)).body).toBe('first');
    expect(filesOf(again)).toEqual(['dist', 'dist/index.html']);
  });

  it('builds and runs an app, replaces it, and rolls back without a build', async () => {
    const project = await ensureProject(service, 'web');
    const first = await deploy(service, project, nodeApp('v1', '', { build: 'echo built > built.txt' }));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('v1');
    const second = await deploy(service, project, nodeApp('v2'));
    expect((await ask(url)).body).toBe('v2');
    expect((await get(service, first.id)).active).toBe(false);
    await until('the old release is stopped', async () =>
      (
        await json<{ data: { containers: { state: string }[] } }>(service.get(`/api/deployments/${first.id}/info`))
      ).data.containers.every(({ state }) => state !== 'running'),
    );
    const { deployment_id } = await json<{ deployment_id: string }>(act(first.id, 'rollback'));
    const back = await ended(service, deployment_id);
    expect(back).toMatchObject({ status: 'ready', rollbackOf: first.id, active: true });
    expect((await ask(url)).body).toBe('v1');
    expect(
      (await events(service, back.id)).filter(({ event }) => event === 'step').map(({ data }) => data['name']),
    ).not.toContain('build');
    expect((await act(back.id, 'rollback')).status, 'the active one').toBe(400);
    expect((await act(second.id, 'cancel')).status, 'a finished one').toBe(400);
    for (const action of ['keep', 'reject', 'build', 'build/respond'])
      expect((await act(second.id, action, { response: 'x' })).status, action).toBe(400);
  });

  it('keeps the previous release when the new one crashes, and says why', async () => {
    const project = await ensureProject(service, 'crashing');
    const good = await deploy(service, project, nodeApp('good'));
    const asking = askAllTheTime(good.urls[0]!, 2);
    const bad = await deploy(service, project, nodeApp('bad', 'console.error("no database at all"); process.exit(3);'));
    expect(bad).toMatchObject({ status: 'failed', active: false, error: { code: 'crashed', step: 'check' } });
    expect(bad.error!.message).toContain('exit code 3');
    expect(bad.error!.message).toContain('no database at all');
    const silent = await deploy(service, project, folderOf({ 'package.json': '{"scripts":{"start":"sleep 100"}}' }));
    expect(silent).toMatchObject({ status: 'failed', error: { code: 'check_failed' } });
    const broken = await deploy(service, project, nodeApp('x', '', { build: 'echo to stderr >&2; exit 7' }));
    expect(broken).toMatchObject({ status: 'failed', error: { code: 'build_failed', step: 'build' } });
    expect(broken.error!.message).toContain('exit code 7');
    expect([...(await asking.stop()).keys()]).toEqual(['200 good']);
    expect(await get(service, good.id)).toMatchObject({ status: 'ready', active: true });
    expect(
      readdirSync(join(service.dataDir, 'releases')).filter((name) => [bad.id, silent.id, broken.id].includes(name)),
    ).toEqual([]);
  });

  it('loses no request while releases change, even with requests in progress', async () => {
    const project = await ensureProject(service, 'loaded');
    const { urls } = await deploy(service, project, nodeApp('v0'));
    const asking = askAllTheTime(urls[0]!);
    for (let i = 1; i <= 4; i++) {
      const slow = ask(urls[0]!, '/slow');
      await deploy(service, project, nodeApp(`v${i}`));
      expect((await slow).status).toBe(200);
    }
    const answers = await asking.stop();
    expect([...answers.keys()].filter((answer) => !answer.startsWith('200 v'))).toEqual([]);
    expect([...answers.keys()]).toContain('200 v4');
  });

  it('cancels a build within seconds and leaves nothing behind', async () => {
    const project = await ensureProject(service, 'cancelled');
    const before = await deploy(service, project, nodeApp('before'));
    const id = await begin(service, project, nodeApp('never', '', { build: 'echo begun; sleep 60' }));
    await until('it builds', async () =>
      (await service.get(`/api/deployments/${id}/logs`)).text().then((text) => text.includes('begun')),
    );
    const began = Date.now();
    expect((await act(id, 'cancel')).status).toBe(200);
    expect((await ended(service, id)).status).toBe('cancelled');
    expect(Date.now() - began).toBeLessThan(6000);
    expect(readdirSync(join(service.dataDir, 'releases'))).not.toContain(id);
    expect((await ask(before.urls[0]!)).body).toBe('before');
  });

  it('runs explicit deployments of a project one after the other, and starts a held one on request', async () => {
    const project = await ensureProject(service, 'queued');
    const ids = [];
    for (const version of ['q1', 'q2', 'q3']) ids.push(await begin(service, project, nodeApp(version)));
    const held = await begin(service, project, nodeApp('held'), { autoStart: false });
    const all = await Promise.all(ids.map((id) => ended(service, id)));
    expect(all.map(({ status }) => status)).toEqual(['ready', 'ready', 'ready']);
    expect((await ask(all[0]!.urls[0]!)).body).toBe('q3');
    expect((await get(service, held)).status).toBe('queued');
    expect((await act(held, 'build')).status).toBe(200);
    expect((await ended(service, held)).status).toBe('ready');
  });

  it('asks for approval before a release if the project requires it', async () => {
    const project = await ensureProject(service, 'careful', { requireApproval: true });
    const id = await begin(service, project, nodeApp('approved'));
    type Build = { data: { prompt: { id: string; options: string[] } | null } };
    const prompt = await until(
      'it asks',
      async () => (await json<Build>(service.get(`/api/deployments/${id}/build`))).data.prompt,
    );
    expect((await act(id, 'build/respond', { response: 'maybe' })).status).toBe(400);
    expect((await act(id, 'build/respond', { promptId: prompt!.id, response: 'approve' })).status).toBe(200);
    expect((await ended(service, id)).status).toBe('ready');
    const refused = await begin(service, project, nodeApp('refused'));
    await until(
      'it asks',
      async () => (await json<Build>(service.get(`/api/deployments/${refused}/build`))).data.prompt,
    );
    await act(refused, 'build/respond', { response: 'reject' });
    expect(await ended(service, refused)).toMatchObject({ status: 'failed', error: { code: 'not_approved' } });
  });

  it('passes variables to the app, build-time ones to the build, and redacts secrets in records', async () => {
    const project = await ensureProject(service, 'secretive', {
      releaseCommand: 'echo migrating with $DATABASE_PASSWORD',
    });
    const secret = 'hunter2-$(id)-"quoted"';
    const variables = {
      DATABASE_PASSWORD: { value: secret, secret: true },
      AT_BUILD: { value: 'at-build-time', secret: false, buildTime: true },
    };
    await json(
      fetch(`${service.url}/api/projects/${project}/variables`, {
        method: 'PATCH',
        headers: { authorization: `Bearer mrg_pat_${'o'.repeat(43)}`, 'content-type': 'application/json' },
        body: JSON.stringify({ variables }),
      }),
    );
    const app = nodeApp('v1', 'console.log("the password is", process.env.DATABASE_PASSWORD);', {
      build: 'echo "at build: $AT_BUILD, password: $DATABASE_PASSWORD."',
    });
    const deployment = await deploy(service, project, app);
    expect(deployment.error).toBeNull();
    const env = JSON.parse((await ask(deployment.urls[0]!, '/env')).body.slice(2)) as Record<string, string>;
    expect(env['DATABASE_PASSWORD']).toBe(secret);
    expect(Object.keys(env).filter((name) => /^(MOORING_(?!PROCESS$)|PG|VITEST)/.test(name))).toEqual([]);
    const recorded = JSON.stringify(await events(service, deployment.id));
    expect(recorded).toContain('at build: at-build-time, password: .');
    expect(recorded).toContain('migrating with [hidden]');
    expect(recorded).not.toContain('hunter2');
    const runtime = await (await service.get(`/api/deployments/${deployment.id}/logs?kind=runtime`)).text();
    expect(runtime).toContain('the password is [hidden]');
  });

  it.each(['.venv/bin', 'node_modules/.bin'])(
    "puts the app's own %s before the programs of the machine",
    async (own) => {
      const project = await ensureProject(service, `own-${own.replaceAll(/\W/g, '')}`, {
        rootDirectory: 'app',
        installCommand: `mkdir -p ${own} && printf '#!/bin/sh\\necho "own $*"; [ $1 = run ] && exec node server.js' > ${own}/cat && chmod +x ${own}/cat`,
        buildCommand: 'cat build || true',
        releaseCommand: 'cat release || true',
        startCommand: 'cat run',
      });
      const folder = nodeApp('v1');
      const source = folderOf({ 'app/server.js': readFileSync(join(folder, 'server.js'), 'utf8') });
      const { id, error } = await deploy(service, project, source);
      expect(error).toBeNull();
      const lines = (await events(service, id)).map(({ data }) => data['line']);
      expect(lines).toEqual(expect.arrayContaining(['own build', 'own release']));
      const { data } = await json<{ data: { line: string }[] }>(service.get(`/api/deployments/${id}/logs`));
      expect(data.map(({ line }) => line)).toContain('own run');
    },
  );

  it('names one version of Node.js, the one that it uses', async () => {
    const { id, error } = await deploy(service, await ensureProject(service, 'ranged'), join(examples, 'node-http'));
    expect(error).toBeNull();
    const lines = (await events(service, id)).map(({ data }) => String(data['line']));
    expect(lines.filter((line) => /Node\.js \d/.test(line))).toEqual([
      expect.stringMatching(/^Node\.js [\d.]+ of .*, as engines of package\.json asks for \(>=18\)$/),
    ]);
  });

  it('serves nothing outside a release, and runs no app as root', async () => {
    const site = await ensureProject(service, 'curious', { buildCommand: 'ln -s / x', outputDirectory: 'x/etc' });
    expect(await deploy(service, site, folderOf({ 'index.html': 'x' }))).toMatchObject({
      status: 'failed',
      error: { code: 'no_output' },
    });
    if (process.getuid?.() !== 0) return;
    const app = await ensureProject(service, 'sneaky', { buildCommand: 'chmod 0 .' });
    const { status } = await deploy(service, app, nodeApp('x', 'if (process.getuid() === 0) console.log("root");'));
    expect(status, 'it cannot even enter its own folder').toBe('failed');
  });

  it('works after deployments were deleted, and rolls back after an artifact is gone', async () => {
    const headers = { authorization: `Bearer mrg_pat_${'o'.repeat(43)}` };
    const project = await ensureProject(service, 'forgetful');
    const first = await deploy(service, project, nodeApp('v1'));
    const second = await deploy(service, project, nodeApp('v2'));
    const rollback = async (id: string) =>
      ended(service, (await json<{ deployment_id: string }>(act(id, 'rollback'))).deployment_id);
    const back = await rollback(first.id);
    await fetch(`${service.url}/api/deployments/${first.id}`, { method: 'DELETE', headers });
    expect((await rollback(second.id)).status).toBe('ready');
    expect((await rollback(back.id)).status, 'its recipe is its own').toBe('ready');
    expect((await ask(second.urls[0]!)).body).toBe('v1');
    rmSync(join(service.dataDir, 'releases', second.id), { recursive: true });
    expect((await rollback(second.id)).error, 'built again from its upload').toBeNull();
    expect((await ask(second.urls[0]!)).body).toBe('v2');
    for (const { id } of (await json<{ data: { id: string }[] }>(service.get(`/api/deployments?projectId=${project}`)))
      .data)
      await fetch(`${service.url}/api/deployments/${id}`, { method: 'DELETE', headers });
    expect((await deploy(service, project, nodeApp('v3'))).error, 'fences only grow').toBeNull();
  });

  it('streams events from any number on, without gaps, and ends', async () => {
    const project = await ensureProject(service, 'streamed');
    const { id } = await deploy(service, project, nodeApp('s'));
    const all = await events(service, id);
    expect(all.map((event) => event.id)).toEqual(all.map((_, i) => i + 1));
    expect(all.at(-1)).toMatchObject({ event: 'end', data: { status: 'ready' } });
    expect((await events(service, id, 5)).map((event) => event.id)).toEqual(all.slice(5).map((event) => event.id));
    expect((await service.get(`/api/deployments/${id}/stream?since=${all.length}`)).status).toBe(204);
    expect((await service.get(`/api/deployments/${id}/stream?since=x`)).status).toBe(400);
  });

  it('deletes a deployment with its processes, and a project with everything', async () => {
    const headers = { authorization: `Bearer mrg_pat_${'o'.repeat(43)}` };
    const project = await ensureProject(service, 'deleted');
    const { id, urls } = await deploy(service, project, nodeApp('gone'));
    expect((await fetch(`${service.url}/api/deployments/${id}`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await service.get(`/api/deployments/${id}`)).status).toBe(404);
    expect((await ask(urls[0]!)).status).toBe(404);
    const again = await deploy(service, project, nodeApp('again'));
    expect((await fetch(`${service.url}/api/projects/${project}`, { method: 'DELETE', headers })).status).toBe(200);
    expect((await ask(again.urls[0]!)).status).toBe(404);
    expect(readdirSync(join(service.dataDir, 'releases'))).not.toContain(again.id);
  });
});

describe.runIf(has('postgres'))('deployments with PostgreSQL', () => {
  it('works the same, even after a kill', async () => {
    const env = { DATABASE_URL: await newDatabase(inject('postgresUrl')), MOORING_LOG_LEVEL: 'warn' };
    const first = await startService({ env });
    const project = await ensureProject(first, 'pg');
    const { urls } = await deploy(first, project, nodeApp('v1'));
    expect((await ask(urls[0]!)).body).toBe('v1');
    const id = await begin(first, project, nodeApp('v2', '', { build: 'sleep 1' }));
    await until('it builds', async () => (await get(first, id)).status === 'building');
    await first.stop('SIGKILL');
    const second = await startService({ env, dataDir: first.dataDir });
    expect((await ended(second, id)).status).toBe('ready');
    expect((await ask(urls[0]!)).body).toBe('v2');
    const seqs = (await events(second, id)).map((event) => event.id);
    expect(seqs).toEqual(seqs.map((_, n) => n + 1));
    await second.stop();
  });
});
