import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, askAllTheTime, deploy, ended, ensureProject, events, folderOf, json, nodeApp } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';

type Applied = { deployment_id: string; buildReasons: string[] };

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const patch = (path: string, body: object) => json(service.patch(path, body));
const setVariable = (project: string, key: string, value: object | string) =>
  patch(`/api/projects/${project}/variables`, { variables: { [key]: value } });
const act = (id: string, action: string, body: object = {}) => service.post(`/api/deployments/${id}/${action}`, body);
const apply = (id: string) => json<Applied>(act(id, 'redeploy', { reuseArtifact: true }));
const steps = async (id: string) =>
  (await events(service, id))
    .filter(({ event, data }) => event === 'step' && data['status'] === 'running')
    .map(({ data }) => String(data['name']));
const variable = async (url: string, key: string) =>
  (JSON.parse((await ask(url, '/env')).body.slice('v1'.length)) as Record<string, string>)[key];

it('a changed variable is applied without a build or a lost request, and rolled back', async () => {
  const project = await ensureProject(service, 'app');
  const first = await deploy(service, project, nodeApp('v1', '', { build: 'echo built once' }));
  const [url = ''] = first.urls;
  const asking = askAllTheTime(url, 2);
  await setVariable(project, 'GREETING', 'hello');
  const { deployment_id: id, buildReasons } = await apply(first.id);
  expect(await ended(service, id)).toMatchObject({
    status: 'ready',
    active: true,
    redeployOf: first.id,
    rollbackOf: null,
  });
  expect(buildReasons).toEqual([]);
  expect(await steps(id)).toEqual(['start', 'check', 'route']);
  expect(await variable(url, 'GREETING')).toBe('hello');

  await patch(`/api/projects/${project}`, {
    startCommand: 'GREETING=started node server.js',
    releaseCommand: 'echo ran',
  });
  const second = await apply(id);
  expect(await ended(service, second.deployment_id)).toMatchObject({ status: 'ready' });
  expect(await steps(second.deployment_id)).toEqual(['release', 'start', 'check', 'route']);
  expect(await variable(url, 'GREETING')).toBe('started');

  const back = await json<{ deployment_id: string }>(act(id, 'rollback'));
  expect(await ended(service, back.deployment_id)).toMatchObject({ status: 'ready', rollbackOf: id });
  expect(await variable(url, 'GREETING')).toBe('hello');
  const again = await json<{ deployment_id: string }>(act(second.deployment_id, 'rollback'));
  expect(await ended(service, again.deployment_id)).toMatchObject({ status: 'ready' });
  expect(await variable(url, 'GREETING')).toBe('started');
  expect([...(await asking.stop()).keys()]).toEqual(['200 v1']);
  expect((await act(first.id, 'redeploy', { reuseArtifact: true })).status, 'it is not active').toBe(400);
}, 60_000);

it('a setting that needs a build triggers one, and is named', async () => {
  const project = await ensureProject(service, 'built');
  const first = await deploy(service, project, nodeApp('v1', '', { build: 'echo "for $AUDIENCE" > built.txt' }));
  await setVariable(project, 'AUDIENCE', { value: 'all', buildTime: true });
  await patch(`/api/projects/${project}`, { installCommand: 'echo installed' });
  const { deployment_id: id, buildReasons } = await apply(first.id);
  expect(buildReasons).toEqual(['installCommand', 'the variable AUDIENCE']);
  expect(await ended(service, id)).toMatchObject({ status: 'ready' });
  expect(await steps(id)).toContain('build');
}, 60_000);

it('a release that fails with the new variable leaves the previous one serving', async () => {
  const project = await ensureProject(service, 'picky');
  const first = await deploy(service, project, nodeApp('v1', 'if (process.env.BREAK) process.exit(4);'));
  await setVariable(project, 'BREAK', 'yes');
  const { deployment_id: id } = await apply(first.id);
  expect(await ended(service, id)).toMatchObject({ status: 'failed', error: { step: 'check' } });
  expect((await ask(first.urls[0]!)).body).toBe('v1');
  await setVariable(project, 'BREAK', { value: '' });
  expect(await ended(service, (await apply(first.id)).deployment_id)).toMatchObject({ status: 'ready' });
}, 60_000);

it('a static site has nothing to apply', async () => {
  const project = await ensureProject(service, 'site');
  const { id } = await deploy(service, project, folderOf({ 'index.html': 'hello' }));
  await setVariable(project, 'A', 'x');
  const answer = await act(id, 'redeploy', { reuseArtifact: true });
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([400, 'nothing_to_apply']);
}, 60_000);
