import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { askAllTheTime, begin, ensureProject, folderOf } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const answering = (says: string) =>
  `process.on('SIGTERM', () => {}); require('node:http').createServer((request, response) => response.end('${says}')).listen(3000);`;
const crash = 'console.error("no luck"); process.exit(3);';
const names = ['web', 'api', 'jobs'] as const;

/** Three services that ignore SIGTERM. */
function deaf(version: string, broken?: string): string {
  const service = (name: string) => `  ${name}:
    image: ${node.name}
    command: ["node", "/program/main.js"]
    volumes: ["./${name}:/program:ro"]
    ports: ["3000"]
`;
  const program = (name: string) => (name === broken ? crash : answering(`${name} ${version}`));
  return folderOf({
    'compose.yaml': `services:\n${names.map(service).join('')}`,
    ...Object.fromEntries(names.map((name) => [`${name}/main.js`, program(name)])),
  });
}

describe.runIf(has('docker'))('services that ignore SIGTERM', () => {
  let rig: StackStage;
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig?.close(), 120_000);

  const answerMs = 2500;
  const timed = async (what: string, asked: () => Promise<Response>): Promise<Response> => {
    const began = Date.now();
    const answer = await asked();
    sayFigures(what, { status: answer.status, answeredMs: Date.now() - began });
    expect(Date.now() - began, what).toBeLessThan(answerMs);
    return answer;
  };
  const remove = (path: string) =>
    fetch(rig.service().url + path, { method: 'DELETE', headers: { authorization: `Bearer ${ownerToken}` } });
  const killed = async () => {
    await rig.killable.kill();
    await rig.killable.start();
  };
  type Info = { data: { containers: { service: string; state: string; startedAt: string }[] } };
  const info = async (id: string) => {
    const { data } = (await (await rig.service().get(`/api/deployments/${id}/info`)).json()) as Info;
    return data.containers;
  };
  const running = async (name: string) => {
    const project = await ensureProject(rig.service(), name);
    const first = await rig.deployed(project, deaf('v1'));
    expect(first.error, JSON.stringify(first)).toBeNull();
    await atRest(rig.service().dataDir);
    return { project, id: first.id, url: first.urls.find((each) => !each.includes('//api.'))! };
  };
  const gone = (project: string) =>
    until('its containers are gone', async () => (await rig.containers(project)).length === 0, 40_000);

  it('reject responds at once, and completes before they have stopped', async () => {
    const { project, url } = await running('rejected');
    const pending = await rig.deployed(project, deaf('v2', 'jobs'));
    expect(pending.status).toBe('partial_failure');
    await atRest(rig.service().dataDir);
    const asking = askAllTheTime(url, 2);
    const began = Date.now();
    const answer = await timed('reject', () => rig.act(pending.id, 'reject'));
    expect(await answer.json()).toMatchObject({ data: { decision: 'rejected' } });
    const over = await rig.settled(pending.id);
    sayFigures('reject', { rejectedMs: Date.now() - began });
    expect([over.status, statuses(over)['web']]).toEqual(['rejected', 'rolled_back']);
    expect(Date.now() - began).toBeLessThan(9000);
    const old = (await rig.containers(project)).filter(({ deploymentId }) => deploymentId === pending.id);
    expect(old.map(({ state }) => state)).toContain('running');
    // Stopping the rejected ones is resumed.
    await sleep(4000);
    await killed();
    await atRest(rig.service().dataDir);
    await untilTidy(rig.docker, rig.service().dataDir);
    const answers = await asking.stop();
    expect([...answers.keys()].filter((each) => !/^200 web v[12]/.test(each))).toEqual([]);
  }, 180_000);

  it.each([undefined, 300, 2000])(
    'restart responds at once (killed after %s ms)',
    async (killMs) => {
      const { id, url, project } = await running(`restarted-${killMs ?? 'never'}`);
      const before = new Map((await info(id)).map((each) => [each.service, each.startedAt]));
      const asking = askAllTheTime(url, 2);
      const asked = timed('restart', () => rig.act(id, 'restart')).catch(() => undefined);
      if (killMs === undefined) {
        expect((await asked)?.status).toBe(200);
        expect((await info(id)).map(({ state }) => state)).toEqual(names.map(() => 'restarting'));
      } else {
        await sleep(killMs);
        await killed();
        await asked;
      }
      const isBack = async () =>
        (await info(id)).every(
          ({ service, state, startedAt }) => state === 'running' && startedAt !== before.get(service),
        );
      await until('all are restarted', isBack, 60_000);
      await sleep(3000);
      expect(await isBack()).toBe(true);
      const answers = await asking.stop();
      expect([...answers.keys()].filter((each) => !each.startsWith('200 web v1'))).toEqual([]);
      await remove(`/api/projects/${project}`);
      await gone(project);
    },
    180_000,
  );

  it.each([false, true])(
    'deleting their project responds at once (killed after it: %s)',
    async (isKilled) => {
      const { project, id } = await running(`deleted-${isKilled}`);
      const answer = await timed('delete project', () => remove(`/api/projects/${project}?volumes=true`));
      expect(answer.status).toBe(200);
      expect((await rig.containers(project)).some(({ state }) => state === 'running')).toBe(true);
      expect((await rig.service().get(`/api/projects/${project}`)).status).toBe(404);
      expect((await rig.service().get(`/api/deployments/${id}`)).status).toBe(404);
      if (isKilled) await killed();
      await gone(project);
      // The name is available at once.
      expect((await running(`deleted-${isKilled}`)).project).not.toBe(project);
    },
    180_000,
  );

  it.each([false, true])(
    'deleting a deployment responds at once (killed after it: %s)',
    async (isKilled) => {
      const { project, id } = await running(`one-${isKilled}`);
      const next = await begin(rig.service(), project, deaf('v2'));
      expect((await rig.settled(next)).status).toBe('ready');
      const answer = await timed('delete deployment', () => remove(`/api/deployments/${next}`));
      expect(answer.status).toBe(200);
      expect((await rig.service().get(`/api/deployments/${next}`)).status).toBe(404);
      const list = await (await rig.service().get(`/api/deployments?projectId=${project}`)).text();
      expect([list.includes(next), list.includes(id)]).toEqual([false, true]);
      if (isKilled) await killed();
      await until(
        'its containers are gone',
        async () => !(await rig.containers(project)).some(({ deploymentId }) => deploymentId === next),
        40_000,
      );
      await timed('delete project', () => remove(`/api/projects/${project}`));
      await gone(project);
    },
    180_000,
  );

  it('a deployment after the deletion of the active one waits until its containers are gone', async () => {
    const project = await ensureProject(rig.service(), 'anew');
    const withData = () =>
      folderOf({
        'compose.yaml': `services:\n  db:\n    image: ${node.name}\n    command: ["node", "/program/main.js"]
    volumes: ["./db:/program:ro", "data:/data"]\n    ports: ["3000"]\nvolumes:\n  data:\n`,
        'db/main.js': answering('db'),
      });
    const first = await rig.deployed(project, withData());
    expect(first.error, JSON.stringify(first)).toBeNull();
    await timed('delete active', () => remove(`/api/deployments/${first.id}`));
    const next = await begin(rig.service(), project, withData());
    const atOnce: number[] = [];
    const over = await until(
      'the next one is over',
      async () => {
        const up = (await rig.containers(project)).filter(({ state }) => state === 'running');
        atOnce.push(up.length);
        const now = await rig.shown(next);
        return ['queued', 'building', 'deploying'].includes(now.status) ? undefined! : now;
      },
      60_000,
    );
    expect([over.status, Math.max(...atOnce)], JSON.stringify(over)).toEqual(['ready', 1]);
    expect((await rig.containers(project)).map(({ deploymentId }) => deploymentId)).toEqual([next]);
  }, 120_000);

  it('deleting a deployment with a pending decision rejects it first', async () => {
    const { project } = await running('pending');
    const pending = await rig.deployed(project, deaf('v2', 'jobs'));
    expect(pending.status).toBe('partial_failure');
    expect((await timed('delete pending', () => remove(`/api/deployments/${pending.id}`))).status).toBe(200);
    expect((await rig.service().get(`/api/deployments/${pending.id}`)).status).toBe(404);
    await until(
      'its containers are gone',
      async () => !(await rig.containers(project)).some(({ deploymentId }) => deploymentId === pending.id),
      60_000,
    );
    const web = (await rig.containers(project)).find(({ service, state }) => service === 'web' && state === 'running');
    expect(web).toBeDefined();
  }, 180_000);
});
