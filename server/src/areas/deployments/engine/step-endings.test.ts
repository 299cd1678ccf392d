import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { until } from '../../../../test/rig/until.ts';
import { EventLog } from '../../../events/event-log.ts';
import { insertSteps, updateStep } from '../model/step-store.ts';

describe.each(databaseKinds)('steps of a finished deployment, on %s', (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
  });
  afterEach(() => app.close());

  const post = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });

  async function queue(buildCommand: string, more: object = {}): Promise<string> {
    const path = newFolder('site');
    writeFileSync(join(path, 'index.html'), '<p>hello</p>');
    const source = { type: 'local', path };
    const made = await post('/api/projects', { name: 'steps', source, buildCommand });
    const { id: projectId } = (made.body as unknown as { data: { id: string } }).data;
    const queued = await post('/api/deployments/build/access', { projectId, ...more });
    return (queued.body as unknown as { deployment_id: string }).deployment_id;
  }

  type Shown = { step: string | null; steps: { name: string; status: string; finishedAt: string | null }[] };
  const shown = async (id: string) => {
    const { body } = await app.call('GET', `/api/deployments/${id}/build`, { token: ownerToken });
    return (body as unknown as { data: Shown }).data;
  };
  const statuses = async (id: string) => {
    const { step, steps } = await shown(id);
    return { step, steps: Object.fromEntries(steps.map(({ name, status }) => [name, status])) };
  };
  const row = (id: string) =>
    app.database.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const stored = async (id: string) => {
    const rows = await app.database.db
      .selectFrom('deployment_steps')
      .select(['name', 'status'])
      .where('deploymentId', '=', id)
      .execute();
    return Object.fromEntries(rows.map(({ name, status }) => [name, status]));
  };
  const said = async (id: string) =>
    (await new EventLog(app.database.db).read(id, 0, 200))
      .filter(({ type }) => type === 'step')
      .map(({ data }) => JSON.parse(data) as { name: string; status: string })
      .filter(({ status }) => status !== 'running')
      .map(({ name, status }) => `${name} ${status}`);
  const ended = (id: string, status: string) => until(`it is ${status}`, async () => (await row(id)).status === status);

  const notRun = {
    release: 'not_run',
    start: 'not_run',
    check: 'not_run',
    route: 'not_run',
    retire: 'not_run',
    tidy: 'not_run',
  };
  const notRunInStream = ['release', 'start', 'check', 'route'].map((name) => `${name} not_run`);

  it('show the failed step as failed and later steps as not run', async () => {
    await app.deployments.start();
    const id = await queue('exit 3');
    await ended(id, 'failed');
    const expected = { source: 'done', detect: 'done', build: 'failed', ...notRun };
    expect(await statuses(id)).toEqual({ step: null, steps: expected });
    expect(await stored(id)).toEqual(expected);
    expect(await said(id)).toEqual(['source done', 'detect done', 'build failed', ...notRunInStream]);
    const { steps } = await shown(id);
    expect(steps.find(({ name }) => name === 'build')!.finishedAt).toEqual(expect.any(String));
  });

  it('show the cancelled step as cancelled', async () => {
    await app.deployments.start();
    const id = await queue('sleep 60');
    await until('it builds', async () => (await shown(id)).step === 'build');
    await post(`/api/deployments/${id}/cancel`, {});
    await ended(id, 'cancelled');
    expect(await stored(id)).toEqual({ source: 'done', detect: 'done', build: 'cancelled', ...notRun });
    expect((await said(id)).slice(2)).toEqual(['build cancelled', ...notRunInStream]);
  });

  it('are empty for a deployment that was cancelled in the queue', async () => {
    const id = await queue('true', { autoStart: false });
    await post(`/api/deployments/${id}/cancel`, {});
    expect(await statuses(id)).toEqual({ step: null, steps: {} });
  });

  const names = ['source', 'detect', 'build', 'release', 'start', 'check', 'route', 'retire', 'tidy'];

  it("end with the cancel when the next worker cancels a killed worker's deployment", async () => {
    const id = await queue('true', { autoStart: false });
    await insertSteps(app.database.db, id, names);
    await updateStep(app.database.db, id, 'source', { status: 'running', attempt: 1, startedAt: 1 });
    await app.database.db
      .updateTable('deployments')
      .set({ status: 'building', held: 0, leaseOwner: 'killed', leaseUntil: 0, cancelRequestedAt: 1 })
      .where('id', '=', id)
      .execute();
    await app.deployments.start();
    await ended(id, 'cancelled');
    const steps = { source: 'cancelled', detect: 'not_run', build: 'not_run', ...notRun };
    expect(await stored(id)).toEqual(steps);
  });

  it.each([
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['ready', 'failed'],
  ] as const)('show the rows of a %s deployment of an older version as ended', async (status, ending) => {
    const id = await queue('true', { autoStart: false });
    await insertSteps(app.database.db, id, names);
    await updateStep(app.database.db, id, 'source', { status: 'running', attempt: 1, startedAt: 1 });
    await app.database.db.updateTable('deployments').set({ status, finishedAt: 5000 }).where('id', '=', id).execute();
    const { step, steps } = await shown(id);
    expect(step).toBeNull();
    expect(steps.map((each) => each.status)).toEqual([ending, ...names.slice(1).map(() => 'not_run')]);
    expect(steps[0]!.finishedAt).toBe('1970-01-01T00:00:05.000Z');
  });
});
