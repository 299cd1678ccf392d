import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { type BadLine, startBadLine } from '../rig/bad-line.ts';
import { ask, type DeploymentJson, ended, ensureProject, events, get, json, nodeApp } from '../rig/deploy.ts';
import { type DockerService, onEngine, startDockerService } from '../rig/docker-service.ts';
import { follow } from '../rig/follower.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { has } from '../rig/parts.ts';
import { freePort } from '../rig/ports.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

type Started = { deployment_id: string; project_id: string };
const over = ['ready', 'failed', 'cancelled'];

/** Two real instances on loopback: a cloud with an engine, and a home instance without one. */
describe.runIf(has('docker'))('an instance and its cloud', () => {
  let rig: DockerService;
  let cloud: Service;
  let home: Service;
  let line: BadLine;
  let git: GitServer;
  const cloudPort = freePort();
  const cloudSettings = { MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: 'all', MOORING_LOG_LEVEL: 'warn' };

  beforeAll(async () => {
    git = await startGitServer();
    rig = await startDockerService({ ...cloudSettings, PORT: String(await cloudPort) });
    cloud = rig.service;
    line = await startBadLine(await cloudPort);
    home = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
    await json(home.post('/api/cloud/link', { url: `http://127.0.0.1:${line.port}`, token: ownerToken }));
  }, 120_000);
  afterAll(async () => {
    await home?.stop();
    line?.stop();
    await cloud?.stop();
    await rig?.close();
    await git?.stop();
  });
  afterEach(() => {
    delete line.cut;
    delete line.cutAnswer;
    delete line.freezeAfterBytes;
  });

  const project = async (name: string, version = 'v1') => {
    git.push(name, nodeApp(version), version);
    return ensureProject(home, name, { source: { type: 'git', url: git.url(name), branch: 'main' } });
  };
  const promote = (projectId: string, more: object = {}) =>
    home.post('/api/deployments/build/access', { projectId, deployTarget: 'cloud', ...more });
  const act = async (id: string, action: string, body: object = {}) =>
    json<Started>(home.post(`/api/deployments/${id}/${action}`, body));
  const there = async (projectId: string) =>
    (await json<{ data: DeploymentJson[] }>(cloud.get(`/api/deployments?projectId=${projectId}`))).data;
  const restartCloud = async () => {
    await cloud.stop('SIGKILL');
    const env = {
      ...cloudSettings,
      ...onEngine(rig.docker),
      PORT: String(await cloudPort),
      MOORING_START_TIMEOUT: '15',
    };
    cloud = await startService({ env, dataDir: rig.service.dataDir });
  };

  it('promotes, streams, shows, redeploys, rolls back, cancels and brings home', async () => {
    const id = await project('shop');
    const { deployment_id: first } = await json<Started>(promote(id, { envVars: { EXTRA: 'from home' } }));
    const seen = await follow(home.url, first).ended;
    expect(seen.at(-1)).toMatchObject({ event: 'end', data: { status: 'ready' } });
    expect(seen).toEqual(await events(cloud, first));
    const one = await get(home, first);
    expect(one).toMatchObject({ status: 'ready', active: true, projectId: id });
    expect((await ask(one.urls[0]!)).body).toBe('v1');
    expect((await ask(one.urls[0]!, '/env')).body).toContain('from home');
    const logs = await json<{ data: { line: string }[] }>(home.get(`/api/deployments/${first}/logs?kind=runtime`));
    expect(logs.data.map((each) => each.line)).toContain('listening, version v1');
    const info = await json<{ data: { containers: unknown[] } }>(home.get(`/api/deployments/${first}/info`));
    expect(info.data.containers).toHaveLength(1);
    git.push('shop', nodeApp('v2'), 'v2');
    const second = await ended(home, (await act(first, 'redeploy')).deployment_id, 90_000);
    expect((await ask(second.urls[0]!)).body).toBe('v2');
    const back = await ended(home, (await act(first, 'rollback')).deployment_id, 90_000);
    expect(back).toMatchObject({ status: 'ready', rollbackOf: first });
    expect((await ask(back.urls[0]!)).body).toBe('v1');
    await home.post(`/api/deployments/${back.id}/restart`, {});
    git.hold();
    const { data } = await json<{ data: DeploymentJson }>(home.post('/api/deployments', { projectId: id }));
    await until('it fetches', () => git.waiting() > 0);
    await act(data.id, 'cancel');
    git.letGo();
    expect(await ended(home, data.id)).toMatchObject({ status: 'cancelled' });
    const listed = await json<{ data: DeploymentJson[] }>(home.get(`/api/deployments?projectId=${id}`));
    await until('the list says the same', async () => {
      const now = await json<{ data: DeploymentJson[] }>(home.get(`/api/deployments?projectId=${id}`));
      return JSON.stringify(now.data) === JSON.stringify(await there(id));
    });
    expect(listed.data).toHaveLength(4);
    const homeward = await json<Started>(home.post(`/api/projects/${id}/bring-home`, {}));
    const local = await ended(home, homeward.deployment_id, 90_000);
    expect(local).toMatchObject({ status: 'ready' });
    expect((await ask(local.urls[0]!)).body, 'here').toBe('v2');
    expect((await ask(back.urls[0]!)).body, 'the cloud serves on').toBe('v1');
  }, 240_000);

  it('resumes a stream that breaks repeatedly, and survives a kill of each side', async () => {
    const id = await project('cut');
    const { deployment_id: first } = await json<Started>(promote(id));
    const follower = follow(home.url, first);
    for (let cuts = 0; cuts < 5 && !over.includes((await get(cloud, first)).status); cuts++) {
      line.cutAnswer = { afterBytes: 600, times: 1 };
      await sleep(300);
    }
    await restartCloud();
    await home.stop('SIGKILL');
    const before = home;
    home = await startService({
      env: { MOORING_LOG_LEVEL: 'warn', PORT: new URL(before.url).port },
      dataDir: before.dataDir,
    });
    const seen = await follower.ended;
    expect(seen.map((each) => each.id)).toEqual(seen.map((_, i) => i + 1));
    expect(seen).toEqual(await events(cloud, first));
    expect(await ended(home, first, 90_000)).toMatchObject({ status: 'ready' });
  }, 240_000);

  it('promotes once, even if the response is lost', async () => {
    for (const [name, bad] of [
      ['answer-lost', { cutAnswer: { afterBytes: 1, times: 1 } }],
      ['answers-lost', { cutAnswer: { afterBytes: 1, times: 2 } }],
      ['question-lost', { cut: { afterBytes: 200, times: 2 } }],
    ] as const) {
      const id = await project(name);
      Object.assign(line, structuredClone(bad));
      const answer = await promote(id, { autoStart: false });
      expect([200, 503], name).toContain(answer.status);
      if (answer.status === 503) {
        const shown = await json<{ data: { deployTarget: string } }>(home.get(`/api/projects/${id}`));
        expect(shown.data.deployTarget, name).toBe('local');
        expect((await promote(id, { autoStart: false })).status, name).toBe(200);
      }
      expect(await there(id), name).toHaveLength(1);
      delete line.cut;
      delete line.cutAnswer;
    }
  }, 120_000);

  it('does not delay local requests while the cloud hangs or is gone', async () => {
    const id = await project('held');
    await json(promote(id, { autoStart: false }));
    const local = await ensureProject(home, 'local', { source: { type: 'git', url: git.url('held') } });
    const { data } = await json<{ data: DeploymentJson }>(
      home.post('/api/deployments', { projectId: local, autoStart: false }),
    );
    line.freezeAfterBytes = 0;
    const began = Date.now();
    for (let calls = 0; calls < 20; calls++) {
      await json(home.get('/api/deployments'));
      await json(home.get(`/api/deployments/${data.id}`));
    }
    expect(Date.now() - began, 'forty calls').toBeLessThan(5000);
  }, 120_000);
});
