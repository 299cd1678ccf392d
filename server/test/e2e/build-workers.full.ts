import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  bareApp,
  otherPlatform as other,
  ownPlatform as own,
  startWorkersRig,
  type Worker,
  type WorkersRig,
} from '../rig/build-workers.ts';
import { ask, begin, deploy, ended, ensureProject, events, folderOf, json } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { query } from '../rig/postgres.ts';
import { registryUser } from '../rig/registry.ts';
import { until } from '../rig/until.ts';

const program = (version: string) =>
  `require('node:http').createServer((q, a) => a.end(${JSON.stringify(version)})).listen(3000);`;

/** `step` runs during the build. */
const app = (version: string, step = 'true') =>
  folderOf({
    Dockerfile: `FROM node:24-slim\nCOPY . /app\nRUN ${step}\nEXPOSE 3000\nCMD ["node", "/app/server.js"]\n`,
    '.dockerignore': 'ignored\nDockerfile\n',
    ignored: 'x'.repeat(10),
    'server.js': program(version),
  });

describe.runIf(has('docker') && has('postgres'))('build workers', () => {
  let rig: WorkersRig;
  let workers: Worker[] = [];
  beforeAll(async () => {
    rig = await startWorkersRig(2);
  }, 180_000);
  afterAll(() => rig?.close());
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
    workers = [];
  });

  const joined = async (...args: Parameters<WorkersRig['worker']>) => {
    const worker = await rig.worker(...args);
    workers.push(worker);
    return worker;
  };
  const linesOf = async (id: string) =>
    (await events(rig.service, id)).flatMap(({ data: { line } }) => (typeof line === 'string' ? [line] : []));
  const rows = async (table: string) => query(rig.databaseUrl, `select * from ${table}`);
  const images = async (engine: { client: WorkersRig['docker']['client'] }) => {
    type Listed = { RepoTags: string[] | null }[];
    const all = await engine.client.json<Listed>({ method: 'GET', path: '/images/json' });
    return all.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.includes('mooring'));
  };

  it('build an app on another machine, with secrets, and leave nothing there', async () => {
    await joined('one', 0, '--label=gpu');
    const project = await ensureProject(rig.service, 'web');
    const variables = { TOKEN: { value: 'very-secret-word', secret: true, buildTime: true } };
    await json(rig.service.patch(`/api/projects/${project}/variables`, { variables }));
    const look = 'ls /app && test ! -e /app/ignored && echo "token $(cat /run/secrets/TOKEN)."';
    const id = await begin(rig.service, project, app('v1', `--mount=type=secret,id=TOKEN ${look}`));
    // The first push contains the base image.
    const done = await ended(rig.service, id, 120_000);
    expect(done.error).toBeNull();
    expect((await ask(done.urls[0]!, '/')).body).toBe('v1');
    const lines = await linesOf(done.id);
    expect(lines).toContainEqual(`Building ${own} on the worker one`);
    expect(lines).toContainEqual('server.js');
    expect(lines).toContainEqual('token [hidden].');
    expect(workers[0]!.output()).not.toContain('very-secret-word');
    expect(await images(workers[0]!.docker)).toEqual([]);
    expect(await images(rig.docker)).toHaveLength(1);
    for (const table of ['builds', 'build_lines', 'build_chunks']) expect(await rows(table)).toEqual([]);
    type Shown = { data: { name: string; labels: string[]; platforms: string[]; isConnected: boolean }[] };
    const { data } = await json<Shown>(rig.service.get('/api/workers'));
    expect(data).toMatchObject([{ name: 'one', labels: ['gpu'], platforms: [own], isConnected: true }]);
  }, 180_000);

  it('report a failed step with its output, as a build here does', async () => {
    await joined('one', 0);
    const project = await ensureProject(rig.service, 'broken');
    const done = await deploy(rig.service, project, app('v1', 'sh -c "echo no such thing >&2; exit 3"'));
    expect(done.error).toMatchObject({ code: 'build_failed', step: 'build' });
    expect(done.error!.message).toMatch(/exit code 3/);
    expect(await linesOf(done.id)).toContainEqual('no such thing');
  }, 120_000);

  it('that is killed is replaced by another one', async () => {
    const one = await joined('one', 0);
    const project = await ensureProject(rig.service, 'killed');
    const id = await begin(rig.service, project, app('v1', 'sleep 12'));
    await until('it builds', () => one.output().includes(`Building ${id}`), 30_000);
    await sleep(3000);
    await joined('two', 1);
    await one.stop('SIGKILL');
    const done = await ended(rig.service, id, 90_000);
    expect(done.error).toBeNull();
    expect(await linesOf(id)).toContainEqual(`Building ${own} on the worker two`);
    expect((await ask(done.urls[0]!, '/')).body).toBe('v1');
  }, 180_000);

  it('that is killed is replaced by the replica if no other one is left', async () => {
    const one = await joined('one', 0);
    const project = await ensureProject(rig.service, 'last');
    const id = await begin(rig.service, project, bareApp('last', 'RUN ["/site/busybox", "sleep", "10"]'));
    await until('it builds', () => one.output().includes(`Building ${id}`), 30_000);
    await sleep(2000);
    await one.stop('SIGKILL');
    const done = await ended(rig.service, id, 90_000);
    expect(done.error).toBeNull();
    expect(await linesOf(id)).toContainEqual('No build worker is left; building on this machine');
    expect((await ask(done.urls[0]!, '/')).body).toBe('last');
  }, 180_000);

  it('that stops gives its build back at once', async () => {
    const one = await joined('one', 0);
    const project = await ensureProject(rig.service, 'stopped');
    const id = await begin(rig.service, project, app('v1', 'sleep 8'));
    await until('it builds', () => one.output().includes(`Building ${id}`), 30_000);
    await sleep(3000);
    await joined('two', 1);
    await one.stop();
    expect(one.output()).toMatch(/Gave .* back/);
    expect((await ended(rig.service, id, 60_000)).error).toBeNull();
    expect(await linesOf(id)).toContainEqual(`Building ${own} on the worker two`);
  }, 120_000);

  it('stop building what is cancelled', async () => {
    const one = await joined('one', 0);
    const project = await ensureProject(rig.service, 'cancelled');
    const id = await begin(rig.service, project, app('v1', 'sleep 60'));
    await until('it builds', () => one.output().includes(`Building ${id}`), 30_000);
    await sleep(3000);
    await json(rig.service.post(`/api/deployments/${id}/cancel`, {}));
    expect((await ended(rig.service, id)).status).toBe('cancelled');
    await until('the worker stops', () => one.output().includes('Stopped'), 15_000);
    expect(await rows('builds')).toEqual([]);
  }, 120_000);

  it('of which none fits are named in the error', async () => {
    await joined('one', 0, '--label=gpu');
    const project = await ensureProject(rig.service, 'unfit', { buildLabels: ['team=web'] });
    const done = await ended(rig.service, await begin(rig.service, project, app('v1')), 100_000);
    expect(done.error).toMatchObject({ code: 'build_refused' });
    expect(done.error!.message).toContain(
      `no build worker builds ${own} and has the label team=web (connected: one: ${own}, gpu)`,
    );
  }, 150_000);

  it('build for two platforms, and the registry has one image of both', async () => {
    await joined('one', 0);
    await joined('two', 1, `--platform=${other}`);
    const project = await ensureProject(rig.service, 'both', { buildPlatforms: [other] });
    const done = await deploy(rig.service, project, bareApp('both'));
    expect(done.error).toBeNull();
    expect((await ask(done.urls[0]!, '/')).body).toBe('both');
    const lines = await linesOf(done.id);
    expect(lines).toContainEqual(`[${own}] Building ${own} on the worker one`);
    expect(lines).toContainEqual(`[${other}] Building ${other} on the worker two`);
    const { address } = rig.registry;
    const authorization = `Basic ${btoa(`${registryUser.username}:${registryUser.password}`)}`;
    const accept = 'application/vnd.docker.distribution.manifest.list.v2+json';
    const get = async (path: string) =>
      fetch(`http://${address}/v2/apps/mooring/${path}`, { headers: { authorization, accept } });
    const { tags } = (await (await get('tags/list')).json()) as { tags: string[] };
    type List = { manifests?: { platform: { architecture: string } }[] };
    const lists = await Promise.all(tags.map(async (tag) => (await (await get(`manifests/${tag}`)).json()) as List));
    const found = lists.flatMap(({ manifests }) =>
      manifests ? [manifests.map(({ platform }) => platform.architecture).toSorted()] : [],
    );
    expect(found).toEqual([['amd64', 'arm64']]);
  }, 120_000);

  it('may use the engine of the replica', async () => {
    const beside = await joined('beside', 2);
    const project = await ensureProject(rig.service, 'beside');
    const first = await deploy(rig.service, project, bareApp('v1'));
    const second = await deploy(rig.service, project, bareApp('v2'));
    expect([first.error, second.error]).toEqual([null, null]);
    expect(beside.output()).toContain(`Built ${second.id}`);
    type Begun = { deployment_id: string };
    const { deployment_id } = await json<Begun>(rig.service.post(`/api/deployments/${first.id}/rollback`, {}));
    expect((await ended(rig.service, deployment_id)).error).toBeNull();
    expect((await ask(first.urls[0]!, '/')).body).toBe('v1');
    expect(beside.output()).not.toContain(deployment_id);
  }, 120_000);

  it('are not needed: without one the replica builds', async () => {
    const project = await ensureProject(rig.service, 'alone');
    const done = await deploy(rig.service, project, bareApp('alone'));
    expect(done.error).toBeNull();
    expect((await linesOf(done.id)).some((line) => line.includes('worker'))).toBe(false);
  }, 60_000);
});

describe.runIf(has('docker') && has('postgres'))('a build that waits for a worker', () => {
  let rig: WorkersRig;
  beforeAll(async () => {
    rig = await startWorkersRig(1, { MOORING_BUILD_TIMEOUT: '20' });
  }, 180_000);
  afterAll(() => rig?.close());

  it('has its time limit when a worker has claimed it', async () => {
    // It builds one platform after the other.
    const worker = await rig.worker('one', 0, `--platform=${own}`, `--platform=${other}`);
    const project = await ensureProject(rig.service, 'waiting', { buildPlatforms: [other] });
    const began = Date.now();
    const id = await begin(rig.service, project, bareApp('waited', 'RUN ["/site/busybox", "sleep", "12"]'));
    const done = await ended(rig.service, id, 90_000);
    expect(done.error).toBeNull();
    expect(Date.now() - began).toBeGreaterThan(24_000);
    expect(worker.output().match(/Built/g)).toHaveLength(2);
    const lines = (await events(rig.service, id)).map(({ data }) => data['line']);
    expect(lines).toContainEqual(expect.stringContaining('Waiting for a build worker that is free: one'));
  }, 180_000);
});
