import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, ensureProject, events, json, upload } from '../rig/deploy.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { changes, type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';

describe.runIf(has('docker'))('several services', () => {
  let rig: StackStage;
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig?.close());

  it('are deployed together, replaced only where they change, kept or rejected when some fail', async () => {
    const service = rig.service();
    const project = await ensureProject(service, 'shop');
    const first = await rig.deployed(project, shop());
    expect(first.error, JSON.stringify(first.services)).toBeNull();
    expect(statuses(first)).toEqual({ web: 'ready', api: 'ready', worker: 'ready', db: 'ready' });
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('web v1 / 200 api v1 / 200 db v1 1');
    const asking = askAllTheTime(url, 3);
    const second = await rig.deployed(project, shop({ api: 'v2' }));
    expect(second.error, JSON.stringify(second.services)).toBeNull();
    expect(changes(second)).toEqual({ web: 'unchanged', api: 'replace', worker: 'unchanged', db: 'unchanged' });
    expect((await ask(url)).body).toBe('web v1 / 200 api v2 / 200 db v1 1');
    const crash = shop({ web: 'v3', api: 'v3', apiProgram: 'console.error("no luck"); process.exit(3);' });
    const third = await rig.deployed(project, crash);
    expect(third).toMatchObject({ status: 'partial_failure', decision: 'pending', error: { code: 'partial_failure' } });
    const half = { web: 'ready', api: 'failed', worker: 'unchanged', db: 'unchanged' };
    expect(statuses(third), JSON.stringify(third.services)).toEqual(half);
    expect((await ask(url)).body, 'what works serves').toBe('web v3 / 200 api v2 / 200 db v1 1');
    const more = await service.post('/api/deployments/build/access', {
      projectId: project,
      uploadSessionId: await upload(service, shop()),
    });
    expect([more.status, ((await more.json()) as { code: string }).code]).toEqual([400, 'decision_pending']);
    expect((await rig.act(third.id, 'cancel')).status).toBe(400);
    const rejected = await rig.done(third.id, 'reject');
    expect(rejected).toMatchObject({ status: 'rejected', decision: 'rejected', active: false });
    expect(statuses(rejected)).toEqual({ ...half, web: 'rolled_back' });
    expect(await rig.shown(second.id)).toMatchObject({ active: true });
    expect((await ask(url)).body).toBe('web v1 / 200 api v2 / 200 db v1 1');
    expect((await rig.act(third.id, 'reject')).status).toBe(400);
    const fourth = await rig.deployed(project, crash);
    expect(fourth, JSON.stringify(fourth)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    const kept = await rig.done(fourth.id, 'keep');
    expect(kept).toMatchObject({ status: 'ready', decision: 'kept', active: true, error: null });
    expect((await ask(url)).body).toBe('web v3 / 200 api v2 / 200 db v1 1');
    const answers = await asking.stop();
    expect(
      [...answers.keys()].filter((each) => !/^200 web v\d . 200 api v\d/.test(each)),
      JSON.stringify([...answers]),
    ).toEqual([]);
    const said = (await events(service, fourth.id))
      .filter(({ event }) => event === 'status')
      .map(({ data }) => [data['status'], data['decision']]);
    expect(said).toEqual([
      ['queued', null],
      ['building', null],
      ['deploying', null],
      ['partial_failure', 'pending'],
      ['ready', 'kept'],
    ]);
  }, 180_000);

  it('get a changed variable without a build: those that use it restart from the same image', async () => {
    const service = rig.service();
    const project = await ensureProject(service, 'store');
    const first = await rig.deployed(project, shop());
    expect(first.error, JSON.stringify(first.services)).toBeNull();
    await json(service.patch(`/api/projects/${project}/variables`, { variables: { API_NOTE: `new ${Date.now()}` } }));
    const asking = askAllTheTime(first.urls[0]!, 2);
    const body = { reuseArtifact: true };
    const { deployment_id: id } = await json<{ deployment_id: string }>(rig.act(first.id, 'redeploy', body));
    const applied = await rig.settled(id);
    expect(applied).toMatchObject({ status: 'ready', active: true, error: null });
    expect(changes(applied)).toEqual({ web: 'unchanged', api: 'replace', worker: 'unchanged', db: 'unchanged' });
    const digestOf = ({ services }: typeof first) => services.find(({ name }) => name === 'api')!.digest;
    expect(digestOf(applied)).toBe(digestOf(first));
    const lines = (await events(service, id)).map(({ data }) => String(data['line']));
    expect(lines.filter((line) => /COPY|RUN|FROM/.test(line))).toEqual([]);
    const answers = [...(await asking.stop()).keys()];
    expect(answers.filter((each) => !/^200 web v1 . 200 api v1/.test(each))).toEqual([]);
  }, 120_000);
});
