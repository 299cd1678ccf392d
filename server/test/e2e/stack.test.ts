import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, deploy, ensureProject, events, get, json, upload } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { until } from '../rig/until.ts';

type Service = {
  name: string;
  status: string;
  change: string | null;
  strategy: string | null;
  error: string | null;
  deploymentId: string | null;
};
type Shown = {
  id: string;
  status: string;
  decision: string | null;
  active: boolean;
  services: Service[];
  urls: string[];
  error: { code: string; message: string } | null;
};

describe.runIf(has('docker'))('several services', () => {
  let rig: DockerService;
  beforeAll(async () => {
    rig = await startDockerService({ MOORING_START_TIMEOUT: '20' });
    await makeImage(rig.docker.client, node);
  });
  afterAll(() => rig?.close());

  const shown = async (id: string) => (await get(rig.service, id)) as unknown as Shown;
  const act = (id: string, action: string, body: object = {}) =>
    rig.service.post(`/api/deployments/${id}/${action}`, body);
  const settled = (id: string) =>
    until(
      `${id} is decided upon, or over`,
      async () => {
        const now = await shown(id);
        return ['queued', 'building', 'deploying'].includes(now.status) ? undefined! : now;
      },
      90_000,
    );
  const changes = ({ services }: Shown) => Object.fromEntries(services.map(({ name, change }) => [name, change]));
  const statuses = ({ services }: Shown) => Object.fromEntries(services.map(({ name, status }) => [name, status]));

  it('are deployed as one, touched only where they change, kept or rejected when some fail', async () => {
    const { service } = rig;
    const project = await ensureProject(service, 'shop');
    const first = (await deploy(service, project, shop())) as unknown as Shown;
    expect(first.error, JSON.stringify(first.services)).toBeNull();
    expect(statuses(first)).toEqual({ web: 'ready', api: 'ready', worker: 'ready', db: 'ready' });
    const [url = ''] = first.urls;
    expect((await ask(url)).body).toBe('web v1 / 200 api v1 / 200 db v1 1');
    const asking = askAllTheTime(url, 3);
    const second = await settled(await begin(service, project, shop({ api: 'v2' })));
    expect(second.error, JSON.stringify(second.services)).toBeNull();
    expect(changes(second)).toEqual({ web: 'unchanged', api: 'replace', worker: 'unchanged', db: 'unchanged' });
    expect((await ask(url)).body).toBe('web v1 / 200 api v2 / 200 db v1 1');
    const crash = shop({ web: 'v3', api: 'v3', apiProgram: 'console.error("no luck"); process.exit(3);' });
    const third = await settled(await begin(service, project, crash));
    expect(third).toMatchObject({ status: 'partial_failure', decision: 'pending', error: { code: 'partial_failure' } });
    const half = { web: 'ready', api: 'failed', worker: 'unchanged', db: 'unchanged' };
    expect(statuses(third), JSON.stringify(third.services)).toEqual(half);
    expect((await ask(url)).body, 'what works serves').toBe('web v3 / 200 api v2 / 200 db v1 1');
    const more = await service.post('/api/deployments/build/access', {
      projectId: project,
      uploadSessionId: await upload(service, shop()),
    });
    expect([more.status, ((await more.json()) as { code: string }).code]).toEqual([400, 'decision_pending']);
    expect((await act(third.id, 'cancel')).status).toBe(400);
    const rejected = (await json<{ data: Shown }>(act(third.id, 'reject'))).data;
    expect(rejected).toMatchObject({ status: 'rejected', decision: 'rejected', active: false });
    expect(statuses(rejected)).toEqual({ ...half, web: 'rolled_back' });
    expect(await shown(second.id)).toMatchObject({ active: true });
    expect((await ask(url)).body).toBe('web v1 / 200 api v2 / 200 db v1 1');
    expect((await act(third.id, 'reject')).status).toBe(400);
    const fourth = await settled(await begin(service, project, crash));
    expect(fourth, JSON.stringify(fourth)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    const kept = (await json<{ data: Shown }>(act(fourth.id, 'keep'))).data;
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
    expect(said.slice(-2)).toEqual([
      ['partial_failure', 'pending'],
      ['ready', 'kept'],
    ]);
  }, 180_000);
});
