import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, deploy, ended, ensureProject, events, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { until } from '../rig/until.ts';

type Listed = { Id: string; Image: string; State: string; Labels: Record<string, string> };

describe.runIf(has('docker'))('deployments on Docker', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService();
  });
  afterAll(() => rig?.close());

  const act = (id: string, action: string, body: object = {}) =>
    rig.service.post(`/api/deployments/${id}/${action}`, body);
  const containers = () =>
    rig.docker.client.json<Listed[]>({ method: 'GET', path: '/containers/json', query: { all: true } });
  const images = async () =>
    (await rig.docker.client.json<{ RepoTags: string[] | null }[]>({ method: 'GET', path: '/images/json' })).flatMap(
      ({ RepoTags }) => RepoTags ?? [],
    );
  const steps = async (id: string) =>
    (await events(rig.service, id)).filter(({ event }) => event === 'step').map(({ data }) => String(data['name']));

  it('builds a detected app as an image, runs it, replaces it, and rolls back without a build', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'web', { releaseCommand: 'echo "moved to $PORT as $(id -u)"' });
    const first = await deploy(service, project, nodeApp('v1'));
    expect(first.error).toBeNull();
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('v1');
    const lines = (await events(service, first.id)).map(({ data }) => data['line']);
    expect(lines).toContainEqual(expect.stringMatching(/^moved to \d+ as 10001$/));
    expect(lines).toContainEqual(expect.stringMatching(/COPY/));
    type Made = { HostConfig: { ReadonlyRootfs: boolean; CapDrop: string[] } };
    const [made] = await containers();
    const path = `/containers/${made!.Id}/json`;
    const { HostConfig } = await rig.docker.client.json<Made>({ method: 'GET', path });
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: false, CapDrop: ['ALL'] });
    const asking = askAllTheTime(url, 2);
    const second = await deploy(service, project, nodeApp('v2'));
    expect(second.error).toBeNull();
    expect((await ask(url)).body).toBe('v2');
    const { deployment_id } = await json<{ deployment_id: string }>(act(first.id, 'rollback'));
    const back = await ended(service, deployment_id);
    expect(back).toMatchObject({ status: 'ready', rollbackOf: first.id, active: true });
    expect((await ask(url)).body).toBe('v1');
    expect(await steps(back.id)).not.toContain('build');
    expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 v1', '200 v2']);
    await until('the old releases are stopped', async () =>
      (await containers()).every(
        ({ State, Labels }) => (State === 'running') === (Labels['mooring.deployment'] === back.id),
      ),
    );
  });

  it('applies a variable and a command by a release of the same image', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'settings');
    const folder = folderOf({
      Dockerfile: 'FROM node:22-slim\nCOPY server.js /\nEXPOSE 9000\nUSER node\nCMD ["node", "/server.js"]\n',
      'server.js': `require('node:http').createServer((_, r) => r.end(process.env.NOTE + ' ' + process.argv[2])).listen(9000)`,
    });
    const first = await deploy(service, project, folder);
    const url = first.urls[0]!;
    expect((await ask(url)).body).toBe('undefined undefined');
    await json(service.post('/api/projects/ensure', { name: 'settings', startCommand: 'node /server.js again' }));
    const asking = askAllTheTime(url, 2);
    await json(service.patch(`/api/projects/${project}/variables`, { variables: { NOTE: 'new' } }));
    const answer = await json<{ deployment_id: string; buildReasons: string[] }>(
      act(first.id, 'redeploy', { reuseArtifact: true }),
    );
    expect(answer.buildReasons).toEqual([]);
    expect(await ended(service, answer.deployment_id)).toMatchObject({ status: 'ready', active: true, error: null });
    expect(await steps(answer.deployment_id)).not.toContain('build');
    expect((await ask(url)).body).toBe('new again');
    expect([...(await asking.stop()).keys()].toSorted()).toEqual(['200 new again', '200 undefined undefined']);
  });

  it("builds the source's Dockerfile with its port, and shows what is running", async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'own');
    const folder = folderOf({
      Dockerfile:
        'FROM node:22-slim\nCOPY server.js /\nEXPOSE 9000\nUSER node\nENTRYPOINT ["node"]\nCMD ["/server.js"]\n',
      'server.js': `require('node:http').createServer((_, r) => r.end('own ' + process.env.PORT)).listen(9000)`,
    });
    const { id, error, urls } = await deploy(service, project, folder);
    expect(error).toBeNull();
    expect((await ask(urls[0]!)).body).toBe('own 9000');
    type Shown = { services: { image: string; digest: string }[] };
    const { services } = (await json<{ data: Shown }>(service.get(`/api/deployments/${id}`))).data;
    const [running] = (await containers()).filter(({ Labels }) => Labels['mooring.deployment'] === id);
    expect(services[0]).toMatchObject({ image: `mooring/${project.toLowerCase()}:${id}`, digest: running!.Image });
    const info = await json<{ data: { containers: object[] } }>(service.get(`/api/deployments/${id}/info`));
    expect(info.data.containers).toMatchObject([{ service: 'app', runtime: 'docker', state: 'running' }]);
    const usage = await json<{ data: { memoryBytes: number } }>(service.get(`/api/deployments/${id}/usage`));
    expect(usage.data.memoryBytes).toBeGreaterThan(1_000_000);
  });

  it('extracts a site from the image that built it', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'site');
    const folder = folderOf({
      'package.json': JSON.stringify({
        scripts: { build: 'mkdir dist && echo "<h1>built</h1>" > dist/index.html' },
        devDependencies: {},
      }),
    });
    const site = await json<{ project_id: string }>(
      service.post('/api/projects/ensure', { name: 'site', outputDirectory: 'dist', buildCommand: 'npm run build' }),
    );
    expect(site.project_id).toBe(project);
    const { id, error, urls } = await deploy(service, project, folder);
    expect(error).toBeNull();
    expect((await ask(urls[0]!)).body).toContain('<h1>built</h1>');
    expect(await images()).not.toContainEqual(expect.stringContaining(id));
    expect((await containers()).filter(({ Labels }) => Labels['mooring.deployment'] === id)).toEqual([]);
  });

  it('keeps the previous release when the new one crashes or does not build, and says why', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'crashing');
    const good = await deploy(service, project, nodeApp('good'));
    const bad = await deploy(service, project, nodeApp('bad', 'console.error("no database at all"); process.exit(3);'));
    expect(bad).toMatchObject({ status: 'failed', active: false, error: { code: 'crashed', step: 'check' } });
    expect(bad.error!.message).toContain('exit code 3');
    expect(bad.error!.message).toContain('no database at all');
    const broken = await deploy(service, project, nodeApp('x', '', { build: 'echo to stderr >&2; exit 7' }));
    expect(broken).toMatchObject({ status: 'failed', error: { code: 'build_failed', step: 'build' } });
    expect(broken.error!.message).toContain('exit code 7');
    const refused = folderOf({ Dockerfile: 'FROM node:22-slim\nCMD ["/no-such-program"]\n' });
    const nothing = await deploy(service, project, refused);
    expect(nothing).toMatchObject({ status: 'failed', error: { code: 'crashed' } });
    expect(nothing.error!.message).toContain('/no-such-program failed: No such file');
    expect((await ask(good.urls[0]!)).body).toBe('good');
    const left = (await containers()).map(({ Labels }) => Labels['mooring.deployment']);
    for (const { id } of [bad, broken, nothing]) {
      expect(left).not.toContain(id);
      expect(await images()).not.toContainEqual(expect.stringContaining(id));
    }
  });
});
