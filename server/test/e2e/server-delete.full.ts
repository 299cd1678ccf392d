import { cpSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { begin, deploy, ended, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { containersOf, imagesOf, networksOf, volumesOf } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { readInside } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { type Line, lineTo } from '../rig/server-line.ts';
import { type ServerStage, startServerStage } from '../rig/server-stage.ts';
import { until } from '../rig/until.ts';
import { visit } from '../rig/visitors.ts';

type Answer = { status: number; body: { error?: string; code?: string; message?: string } };

describe.runIf(has('docker') && has('sshd'))('deletions on a server', () => {
  let rig: ServerStage;
  let line: Line;
  const seen: Record<string, Record<number, number>> = {};
  beforeAll(async () => {
    rig = await startServerStage();
    line = lineTo(rig.server);
  }, 180_000);
  afterEach(() => line?.restore());
  afterAll(() => rig?.close());

  const service = () => rig.killable.now;
  const there = () => ({ deployTarget: 'server', serverId: rig.serverId });
  async function remove(path: string, what = 'delete'): Promise<Answer> {
    const headers = { authorization: `Bearer ${ownerToken}` };
    const response = await fetch(service().url + path, { method: 'DELETE', headers });
    const count = (seen[what] ??= {});
    count[response.status] = (count[response.status] ?? 0) + 1;
    const answer = { status: response.status, body: (await response.json()) as Answer['body'] };
    expect(answer.status, `${JSON.stringify(answer)} ${service().output().slice(-3000)}`).not.toBe(500);
    return answer;
  }
  const isThere = async (id: string) => (await service().get(`/api/projects/${id}`)).status === 200;

  /** Everything of the project but its volumes is gone from the server. */
  async function isGone(project: string): Promise<void> {
    expect(await isThere(project)).toBe(false);
    const look = async () => {
      const labelled = ({ Labels }: { Labels: Record<string, string> | null }) =>
        Labels?.['mooring.project'] === project;
      const tags = (await imagesOf(rig.docker)).flatMap(({ RepoTags }) => RepoTags ?? []);
      const left = [
        ...(await containersOf(rig.docker)).filter(labelled).map(({ Names }) => Names.join()),
        ...(await networksOf(rig.docker)).filter(labelled).map(({ Name }) => Name),
        ...tags.filter((tag) => tag.includes(project.toLowerCase())),
      ];
      expect(left).toEqual([]);
      return true;
    };
    await until('it is gone', look, 30_000);
  }

  it('work during a deployment, in any phase', async () => {
    for (let round = 0; round < 14; round++) {
      const project = await ensureProject(service(), `busy-${round}`);
      if (round % 3 === 0) await deploy(service(), project, dockerApp('v0'), there());
      await begin(service(), project, dockerApp('v1'), there());
      await sleep(round * 200);
      for (let tries = 0; (await remove(`/api/projects/${project}`, 'while it deploys')).status !== 200; tries++) {
        expect(tries).toBeLessThan(3);
        await sleep(1000);
      }
      await isGone(project);
    }
  }, 240_000);

  it('work right after it was ready, and twice at once', async () => {
    for (let round = 0; round < 8; round++) {
      const project = await ensureProject(service(), `twice-${round}`);
      for (const version of ['v1', 'v2'])
        expect(await deploy(service(), project, dockerApp(version), there())).toMatchObject({ error: null });
      const answers = await Promise.all([0, 1, 2].map(() => remove(`/api/projects/${project}`, 'three at once')));
      const statuses = answers.map(({ status }) => status);
      expect(statuses).toContain(200);
      expect(statuses.filter((status) => ![200, 404].includes(status))).toEqual([]);
      await isGone(project);
    }
  }, 240_000);

  it('work while the connection is broken, and right after a kill', async () => {
    for (let round = 0; round < 8; round++) {
      const project = await ensureProject(service(), `cut-${round}`);
      expect(await deploy(service(), project, dockerApp('v1'), there())).toMatchObject({ error: null });
      const asked = remove(`/api/projects/${project}`, 'cut').catch(() => undefined);
      await sleep(round * 40);
      if (round % 2) {
        await rig.killable.kill();
        await asked;
        await rig.killable.start();
      } else rig.server.sshd.cut();
      await asked;
      for (let tries = 0; await isThere(project); tries++) {
        expect(tries).toBeLessThan(4);
        if (tries) await sleep(1000);
        await remove(`/api/projects/${project}`, 'after that');
      }
      await isGone(project);
    }
  }, 240_000);

  it.each(['silent', 'switched off'] as const)(
    'fail while the server is unreachable (%s) with a message, change nothing, and work afterwards',
    async (how) => {
      const project = await ensureProject(service(), `away-${how.replace(' ', '-')}`);
      const { id, urls } = await deploy(service(), project, dockerApp('v1'), there());
      if (how === 'silent') line.drop();
      else await rig.server.sshd.switchOff();
      for (const path of [`/api/projects/${project}`, `/api/deployments/${id}`]) {
        const began = Date.now();
        const { status, body } = await remove(path, 'away');
        sayFigures(`${how}: DELETE ${path.split('/')[2]}`, { tookMs: Date.now() - began, status, body });
        expect([status, body.code]).toEqual([502, 'runtime_unavailable']);
        expect(body.error).toMatch(/the server elsewhere does not respond. Nothing was deleted/);
      }
      const shown = await json<{ data: { active: boolean } }>(service().get(`/api/deployments/${id}`));
      expect(shown.data.active).toBe(true);
      line.restore();
      if (how !== 'silent') await rig.server.sshd.switchOn();
      const answer = await visit(urls[0]!, '/', { agent: false, address: rig.address });
      expect(answer.release).toMatch(/^v1 /);
      await until('it can be deleted', async () => (await remove(`/api/projects/${project}`)).status === 200, 40_000);
      await isGone(project);
    },
    150_000,
  );

  it('remove a stack with files of its source', async () => {
    const project = await ensureProject(service(), 'stacked');
    const compose = `services:
  web:
    build: .
    environment: { PORT: "8000", HOST: 0.0.0.0 }
    ports: ["8000"]
    volumes: ["./conf:/conf:ro"]
`;
    const app = dockerApp('v1');
    const files = folderOf({ 'compose.yaml': compose, 'conf/greeting': 'hello' });
    cpSync(files, app, { recursive: true });
    const made = await ended(service(), await begin(service(), project, app, there()), 60_000);
    expect(made.error).toBeNull();
    expect((await remove(`/api/projects/${project}`)).status).toBe(200);
    await isGone(project);
  });

  it('remove a project from a lost server when it is abandoned', async () => {
    const project = await ensureProject(service(), 'given-up');
    await deploy(service(), project, dockerApp('v1'), there());
    await rig.server.sshd.switchOff();
    expect((await remove(`/api/projects/${project}`, 'away')).status).toBe(502);
    expect((await remove(`/api/projects/${project}?abandon=true`, 'given up')).status).toBe(200);
    expect(await isThere(project)).toBe(false);
    await rig.server.sshd.switchOn();
  }, 120_000);

  it('remove the server with its edge, if it is reachable', async () => {
    expect((await remove(`/api/servers/${rig.serverId}`)).status).toBe(409);
    expect((await rig.edge()).state).toBe('running');
    expect((await remove(`/api/projects/${rig.projectId}`)).status).toBe(200);
    // The project's leftovers are removed first, after its response.
    const { status, body } = await until('the project is off the server', async () => {
      const answer = await remove(`/api/servers/${rig.serverId}`);
      if (answer.status === 409) throw new Error(JSON.stringify(answer.body));
      return answer;
    });
    expect([status, body]).toEqual([200, { success: true }]);
    await sleep(13_000);
    expect((await containersOf(rig.docker)).map(({ Names }) => Names)).toEqual([]);
    expect((await volumesOf(rig.docker)).filter(({ Labels }) => Labels?.['mooring.role'])).toEqual([]);
    const tags = (await imagesOf(rig.docker)).flatMap(({ RepoTags }) => RepoTags ?? []);
    expect(tags.filter((tag) => tag.startsWith('mooring'))).toEqual([]);
    expect(service().output().slice(-5000)).not.toMatch(/elsewhere.*was removed/);
  }, 90_000);

  it('remove an unreachable server, and say what is left there', async () => {
    const body = { ...rig.server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    const { data } = await json<{ data: { id: string } }>(service().post('/api/servers', body));
    const project = await ensureProject(service(), 'last');
    await json(service().post(`/api/servers/${data.id}/test`, {}));
    const to = { deployTarget: 'server', serverId: data.id };
    expect(await deploy(service(), project, dockerApp('v1'), to)).toMatchObject({ error: null });
    expect((await remove(`/api/projects/${project}`)).status).toBe(200);
    const tasks = () =>
      readInside(service().dataDir, (database) => database.prepare('select id from background_tasks').all());
    await until('the project is off the server', () => tasks().length === 0);
    await rig.server.sshd.switchOff();
    const left = await remove(`/api/servers/${data.id}`);
    await rig.server.sshd.switchOn();
    sayFigures('a server that is away', { left, seen });
    expect([left.status, left.body.message]).toEqual([
      200,
      expect.stringMatching(/elsewhere was not cleaned up: .*mooring-edge-ins_/),
    ]);
    expect((await service().get(`/api/servers/${data.id}`)).status).toBe(404);
    const never = await json<{ data: { id: string } }>(
      service().post('/api/servers', { ...rig.server.body, name: 'never seen', host: '192.0.2.1' }),
    );
    expect((await remove(`/api/servers/${never.data.id}`)).body).toEqual({ success: true });
  }, 120_000);
});
