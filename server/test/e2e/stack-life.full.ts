import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { ask, askAllTheTime, begin, ensureProject, json, nodeApp } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase } from '../rig/docker-service.ts';
import { containersOf, imagesOf, networksOf, volumesOf } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest, backgroundDone } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { changes, type StackShown, type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

type Container = { service: string; state: string; id: string };

describe.runIf(has('docker'))('lifecycle of several services', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  const line = new Map<string, StackShown>();
  beforeAll(async () => {
    rig = await startStackStage();
    await makeImage(rig.docker.client, nodeBase());
    project = await ensureProject(rig.service(), 'shop');
    for (const api of ['v1', 'v2', 'v3']) line.set(api, await rig.deployed(project, shop({ api })));
    url = line.get('v1')!.urls[0]!;
  }, 240_000);
  afterAll(() => rig?.close(), 120_000);

  const bodyOf = async () => (await ask(url)).body;
  const tidy = async () => {
    await atRest(rig.service().dataDir);
    await untilTidy(rig.docker, rig.service().dataDir);
  };
  const data = async <T>(path: string) => (await json<{ data: T }>(rig.service().get(`/api/deployments/${path}`))).data;
  const removed = (path: string) =>
    fetch(rig.service().url + path, { method: 'DELETE', headers: { authorization: `Bearer ${ownerToken}` } });
  /** Deletions complete in the background. */
  const removedWhole = async (path: string) => {
    expect((await removed(path)).status, path).toBe(200);
    await backgroundDone(rig.service().dataDir);
  };
  const begun = async (id: string, action: string) => {
    const { deployment_id } = await json<{ deployment_id: string }>(rig.act(id, action));
    return rig.settled(deployment_id);
  };

  it('rolls back to an older deployment without a build, and redeploys', async () => {
    const asking = askAllTheTime(url, 3);
    const began = performance.now();
    const back = await begun(line.get('v1')!.id, 'rollback');
    sayFigures('rollback', { ms: Math.round(performance.now() - began) });
    expect([back.status, back.error], JSON.stringify(back)).toEqual(['ready', null]);
    expect(changes(back)).toEqual({ web: 'unchanged', api: 'replace', worker: 'unchanged', db: 'unchanged' });
    expect(await bodyOf()).toBe('web v1 / 200 api v1 / 200 db v1 1');
    const build = await data<{ steps: { name: string; status: string }[] }>(`${back.id}/build`);
    expect(build.steps.find(({ name }) => name === 'build')!.status).toBe('skipped');
    const again = await begun(line.get('v3')!.id, 'redeploy');
    expect([again.status, changes(again)['api'], await bodyOf()]).toEqual([
      'ready',
      'replace',
      'web v1 / 200 api v3 / 200 db v1 1',
    ]);
    const answers = await asking.stop();
    expect(
      [...answers.keys()].filter((each) => !/^200 web v1 . 200 api v/.test(each)),
      JSON.stringify([...answers]),
    ).toEqual([]);
    line.set('active', again);
    await tidy();
  }, 180_000);

  it('shows and restarts all of them, or one', async () => {
    const { id } = line.get('active')!;
    const { containers } = await data<{ containers: Container[] }>(`${id}/info`);
    expect(containers.map(({ service, state }) => `${service} ${state}`).toSorted()).toEqual([
      'api running',
      'db running',
      'web running',
      'worker running',
    ]);
    const one = await data<{ containers: Container[] }>(`${id}/info?service=api`);
    expect(one.containers.map(({ service }) => service)).toEqual(['api']);
    expect((await rig.service().get(`/api/deployments/${id}/info?service=none`)).status).toBe(404);
    const usage = await data<{ memoryBytes: number; containers: Container[] }>(`${id}/usage`);
    expect(usage.memoryBytes).toBeGreaterThan(1_000_000);
    expect(usage.containers.map(({ service }) => service).toSorted()).toEqual(['api', 'db', 'web', 'worker']);
    const logs = await data<{ line: string; service: string | null }[]>(`${id}/logs?service=worker&kind=runtime`);
    expect(logs.map(({ line: each, service }) => [service, each])).toContainEqual(['worker', 'worker v1']);
    const startedOf = async () =>
      Object.fromEntries(
        (await data<{ containers: (Container & { startedAt: string })[] }>(`${id}/info`)).containers.map((each) => [
          each.service,
          each.startedAt,
        ]),
      );
    const before = await startedOf();
    const asking = askAllTheTime(url, 2);
    // Restarts that take longer than a request complete in the background.
    const restarted = async (action: string) => {
      await rig.done(id, action);
      await backgroundDone(rig.service().dataDir);
    };
    await restarted('restart?service=web');
    const after = await startedOf();
    expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['web']);
    await restarted('restart');
    expect(Object.values(await startedOf()).filter((at) => Object.values(after).includes(at))).toEqual([]);
    const answers = await asking.stop();
    expect(
      [...answers.keys()].filter((each) => !each.startsWith('200 web v1')),
      JSON.stringify([...answers]),
    ).toEqual([]);
    expect(await bodyOf()).toContain('web v1 / 200 api v3');
  }, 180_000);

  it('keeps the serving containers when an old deployment is deleted', async () => {
    const before = await rig.running(project);
    const asking = askAllTheTime(url, 2);
    const first = line.get('v1')!.id;
    await removedWhole(`/api/deployments/${first}`);
    expect((await rig.service().get(`/api/deployments/${first}`)).status).toBe(404);
    expect(await rig.running(project)).toEqual(before);
    const half = await rig.deployed(
      project,
      shop({ web: 'v2', api: 'v3', worker: 'v2', db: 'v2', apiProgram: 'process.exit(1)' }),
    );
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ web: 'ready', api: 'failed', db: 'ready' });
    const refused = await removed(`/api/deployments/${line.get('active')!.id}`);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([400, 'decision_pending']);
    await removedWhole(`/api/deployments/${line.get('v2')!.id}`);
    // Upkeep gets its chance to remove containers without a deployment.
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    expect((await removed(`/api/deployments/${half.id}`)).status, 'a pending one is rejected first').toBe(200);
    expect((await rig.service().get(`/api/deployments/${half.id}`)).status).toBe(404);
    await backgroundDone(rig.service().dataDir);
    expect(await bodyOf()).toMatch(/web v1 \/ 200 api v3 \/ 200 db v1 \d/);
    expect(await rig.running(project), 'the very same containers').toEqual(before);
    const answers = await asking.stop();
    expect(
      [...answers.keys()].filter((each) => !/^200 web v\d . 200 api/.test(each)),
      JSON.stringify([...answers]),
    ).toEqual([]);
  }, 180_000);

  it('leaves only volumes after the active deployment or the project is deleted', async () => {
    const volumes = async () => (await volumesOf(rig.docker)).map(({ Name }) => Name).toSorted();
    const before = await volumes();
    expect((await removed(`/api/deployments/${line.get('active')!.id}`)).status).toBe(200);
    expect((await ask(url)).status).toBe(404);
    await backgroundDone(rig.service().dataDir);
    expect(await rig.running(project)).toEqual({});
    const again = await rig.deployed(project, shop({ web: 'v5' }));
    expect([again.status, await bodyOf()]).toEqual(['ready', expect.stringMatching(/^web v5 .* 200 db v1 \d+$/)]);
    await removedWhole(`/api/projects/${project}`);
    const ours = ({ Labels }: { Labels: Record<string, string> | null }) => Labels?.['mooring.project'] === project;
    expect((await containersOf(rig.docker)).filter(ours)).toEqual([]);
    expect((await networksOf(rig.docker)).filter(ours)).toEqual([]);
    expect(
      (await imagesOf(rig.docker)).filter(({ RepoTags }) => RepoTags?.some((tag) => tag.includes(project))),
    ).toEqual([]);
    expect(await volumes()).toEqual(before);
    expect((await ask(url)).status).toBe(404);
  }, 180_000);

  it('replaces an app, and is replaced by an app', async () => {
    const other = await ensureProject(rig.service(), 'grown', { releaseCommand: 'node --version' });
    const app = await rig.deployed(other, nodeApp('web v0 / 200 api v0'));
    expect(app.error, JSON.stringify(app)).toBeNull();
    const asking = askAllTheTime(app.urls[0]!, 3);
    const half = await rig.deployed(
      other,
      shop({ apiProgram: 'process.exit(1)', files: { 'web/server.js': 'process.exit(1)' } }),
    );
    expect(half.status, `${JSON.stringify(half)} ${rig.service().output().slice(-3000)}`).toBe('partial_failure');
    expect((await ask(app.urls[0]!)).body).toBe('web v0 / 200 api v0');
    await rig.done(half.id, 'reject');
    expect((await ask(app.urls[0]!)).body).toBe('web v0 / 200 api v0');
    const stack = await rig.deployed(other, shop());
    expect([stack.status, stack.urls], JSON.stringify(stack)).toEqual(['ready', app.urls]);
    expect((await ask(app.urls[0]!)).body).toContain('web v1 / 200 api v1');
    // The volume of db would be left behind, so the deployment prompts before any change, including the release
    // command.
    const backId = await begin(rig.service(), other, nodeApp('web v9 / 200 api v9'));
    type Build = { steps: { name: string; status: string }[]; prompt: { question: string } | null };
    const asked = await until('it asks', async () => {
      const build = await data<Build>(`${backId}/build`);
      return build.prompt ? build : undefined!;
    });
    expect(asked.prompt!.question).toContain('db is removed, and nothing else uses the volume data');
    expect(asked.steps.slice(2, 5)).toMatchObject([
      { name: 'build', status: 'done' },
      { name: 'plan', status: 'running' },
      { name: 'release', status: 'waiting' },
    ]);
    await json(rig.act(backId, 'build/respond', { response: 'continue' }));
    const back = await rig.settled(backId);
    expect([back.status, (await ask(app.urls[0]!)).body]).toEqual(['ready', 'web v9 / 200 api v9']);
    const rolled = await begun(stack.id, 'rollback');
    expect([rolled.status, (await ask(app.urls[0]!)).body], JSON.stringify(rolled)).toEqual([
      'ready',
      expect.stringContaining('web v1 / 200 api v1'),
    ]);
    const answers = await asking.stop();
    sayFigures('answers', Object.fromEntries(answers));
    expect([...answers.keys()].filter((each) => !/^200 web v\d . 200 api v/.test(each))).toEqual([]);
    await atRest(rig.service().dataDir);
    expect(Object.keys(await rig.running(other)).toSorted()).toEqual(['api', 'db', 'web', 'worker']);
  }, 240_000);
});
