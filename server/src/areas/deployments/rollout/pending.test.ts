import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { until } from '../../../../test/rig/until.ts';
import type { Runtime } from '../../../drivers/runtime/runtime.ts';
import { deleteSteps, insertSteps, updateStep } from '../model/step-store.ts';
import { newServiceState, stackSealLocation } from '../model/stack.ts';

/** Creates a partial failure as left by a worker that is about to stop the replaced containers. */
async function half(app: TestApp): Promise<string> {
  const post = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });
  const path = newFolder('site');
  writeFileSync(join(path, 'index.html'), '<p>hello</p>');
  const project = await post('/api/projects', { name: 'x', source: { type: 'local', path } });
  const { id: projectId } = (project.body as unknown as { data: { id: string } }).data;
  const queued = await post('/api/deployments/build/access', { projectId, autoStart: false });
  const { deployment_id: id } = queued.body as unknown as { deployment_id: string };
  const { db } = app.database;
  const compose = { name: 'x', services: [], volumes: [], networks: [], configs: [], secrets: [], warnings: [] };
  const stack = { project: compose, digests: {}, contents: {}, secrets: [] };
  const services = [{ ...newServiceState('web'), status: 'ready', change: 'create', runsOf: id }];
  await deleteSteps(db, id);
  await insertSteps(db, id, ['services', 'retire', 'tidy']);
  await updateStep(db, id, 'services', { status: 'done', result: '{}' });
  await db
    .updateTable('deployments')
    .set({
      status: 'partial_failure',
      decision: 'pending',
      held: 0,
      switching: 1,
      stack: app.instance.sealer.seal(JSON.stringify(stack), stackSealLocation(id)),
      services: JSON.stringify(services),
      leaseOwner: 'a worker that was killed',
      leaseUntil: 0,
    })
    .where('id', '=', id)
    .execute();
  return id;
}

/** A runtime that never says what runs. */
function brokenRuntime(onAsked: () => Promise<unknown>): Runtime {
  return {
    ...memoryDrivers().runtime,
    async list(kind) {
      if (kind !== undefined) return [];
      await onAsked();
      throw new Error('the runtime is in trouble');
    },
  };
}

const rowOf = (app: TestApp) => app.database.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();

async function started(onAsked: () => Promise<unknown>): Promise<TestApp> {
  const app = await startApp('sqlite', { drivers: { ...memoryDrivers(), runtime: brokenRuntime(onAsked) } });
  onTestFinished(() => app.close());
  return app;
}

const free = (app: TestApp) => until('nobody holds it', async () => (await rowOf(app)).leaseOwner === null);

it('keeps waiting for a decision when replaced containers cannot be stopped', async () => {
  let asked = 0;
  const app = await started(async () => asked++);
  await half(app);
  await app.deployments.start();
  await free(app);
  expect(asked).toBeGreaterThan(0);
  expect(await rowOf(app)).toMatchObject({ status: 'partial_failure', decision: 'pending', finishedAt: null });
});

it('stays kept when it is kept at that very moment', async () => {
  let answers = Promise.resolve();
  const app = await started(() => answers);
  const id = await half(app);
  let decided = false;
  answers = new Promise((resolve) => {
    void until('it is taken', async () => (await rowOf(app)).leaseOwner === 'test')
      .then(() => app.call('POST', `/api/deployments/${id}/keep`, { token: ownerToken, body: {} }))
      .then(({ status }) => {
        decided = status === 200;
        resolve();
      });
  });
  await app.deployments.start();
  await free(app);
  expect(decided).toBe(true);
  expect(await rowOf(app)).toMatchObject({ status: 'ready', decision: 'kept', active: 1, error: null });
});

it('is rejected when it is rejected at that very moment', async () => {
  let answers = Promise.resolve();
  const app = await started(() => answers);
  const id = await half(app);
  answers = new Promise((resolve) => {
    void until('it is taken', async () => (await rowOf(app)).leaseOwner === 'test').then(() => {
      void app.call('POST', `/api/deployments/${id}/reject`, { token: ownerToken, body: {} });
      void until('it is decided', async () => (await rowOf(app)).decision === 'rejected').then(() => resolve());
    });
  });
  await app.deployments.start();
  await until('it is over', async () => (await rowOf(app)).finishedAt !== null);
  await free(app);
  expect(await rowOf(app)).toMatchObject({ status: 'rejected', decision: 'rejected', active: 0 });
});
