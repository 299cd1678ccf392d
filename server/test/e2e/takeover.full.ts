import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockFile } from '../../src/lib/lock-file.ts';
import { ownerToken, startApp, type TestApp } from '../rig/app.ts';
import { busyApp } from '../rig/busy-app.ts';
import { endProcessesOf } from '../rig/children.ts';
import { databaseKinds } from '../rig/databases.ts';
import { sayFigures } from '../rig/figures.ts';
import { newGate } from '../rig/gate.ts';
import { edgeOf, processesOf } from '../rig/inside.ts';
import { appPorts } from '../rig/ports.ts';
import { until } from '../rig/until.ts';
import { startVisitors, visit, type Visitors } from '../rig/visitors.ts';
import { startWorker, type WorkerProcess } from '../rig/workers.ts';

const steps = ['build', 'start', 'check', 'route'] as const;

describe.each(databaseKinds)('a worker that hangs longer than its lease, on %s', (kind) => {
  let app: TestApp;
  let workers: Record<string, WorkerProcess>;
  let visitors: Visitors | undefined;
  beforeEach(async () => {
    app = await startApp(kind);
    const ports = appPorts();
    const [a, b] = await Promise.all([startWorker(app, 'a', ports), startWorker(app, 'b', ports)]);
    workers = { a, b };
  });
  afterEach(async () => {
    await visitors?.stop();
    for (const worker of Object.values(workers)) await worker.stop();
    endProcessesOf(app.instance.folder);
    await app.close();
  });

  const post = async <T>(path: string, body: object) =>
    (await app.call('POST', path, { token: ownerToken, body })).body as T;
  const row = (id: string) =>
    app.database.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const rowOfStep = (id: string, name: string) =>
    app.database.db
      .selectFrom('deployment_steps')
      .selectAll()
      .where('deploymentId', '=', id)
      .where('name', '=', name)
      .executeTakeFirst();

  async function begin(name: string, folder: string): Promise<string> {
    const { project_id: projectId } = await post<{ project_id: string }>('/api/projects/ensure', {
      name,
      source: { type: 'local', path: folder },
    });
    return (await post<{ deployment_id: string }>('/api/deployments/build/access', { projectId })).deployment_id;
  }
  const ended = (id: string) =>
    until(
      'it has ended',
      async () => {
        const found = await row(id);
        return found.finishedAt !== null && found.leaseOwner === null ? found : undefined!;
      },
      60_000,
    );

  /** During a transaction it would lock an SQLite database for everyone: then it waits a moment. */
  async function freeze(worker: WorkerProcess): Promise<void> {
    for (;;) {
      worker.freeze();
      const { numUpdatedRows } = await app.database.db
        .updateTable('deployments')
        .set((eb) => ({ held: eb.ref('held') }))
        .where('id', '=', 'none')
        .executeTakeFirst()
        .catch(() => ({ numUpdatedRows: undefined }));
      if (numUpdatedRows !== undefined) return;
      worker.goOn();
      await sleep(30);
    }
  }

  /** Blocks it in the step; returns the function that releases it. */
  async function hold(step: (typeof steps)[number]): Promise<{ id: string; letGo(): void }> {
    const gate = newGate();
    if (step === 'build') {
      const scripts = { build: `echo building; ${gate.wait}; echo built` };
      return { id: await begin('taken', busyApp('v2', { scripts })), letGo: () => gate.open() };
    }
    if (step === 'start') {
      const locks = join(app.instance.folder, 'processes/locks');
      mkdirSync(locks, { recursive: true });
      const lock = lockFile(join(locks, 'ports.lock'), () => new Error('the ports are in use'));
      return { id: await begin('taken', busyApp('v2')), letGo: () => lock.release() };
    }
    const id = await begin('taken', busyApp('v2', { listensWhen: gate.file }));
    if (step === 'check') return { id, letGo: () => gate.open() };
    await until('it is checked', async () => (await rowOfStep(id, 'check'))?.status === 'running');
    const edge = edgeOf(app.instance.folder);
    process.kill(edge, 'SIGSTOP');
    gate.open();
    return { id, letGo: () => void process.kill(edge, 'SIGCONT') };
  }

  it.each(steps)(
    'in %s is replaced by another, and does no harm when it resumes',
    async (step) => {
      const first = await ended(await begin('taken', busyApp('v1')));
      const [url] = JSON.parse(first.urls) as [string];
      visitors = startVisitors(url, 'v1', { fresh: 1, kept: 1, posts: 1, sockets: 0, downloads: 0 });
      visitors.allow('v2');
      const held = await hold(step);
      await until(`it is in ${step}`, async () => (await rowOfStep(held.id, step))?.status === 'running', 30_000);
      const { leaseOwner: late, fence } = await row(held.id);
      const began = Date.now();
      await freeze(workers[late!]!);
      await until('another takes over', async () => (await row(held.id)).leaseOwner !== late, 40_000);
      const takenAfterMs = Date.now() - began;
      // An edge that is stopped for longer than the header timeout disconnects some clients.
      if (step !== 'route') await sleep(Math.max(0, 20_000 - takenAfterMs));
      held.letGo();
      // It holds the lock of the start: no other worker can continue without it.
      if (step === 'start') workers[late!]!.goOn();
      const over = await ended(held.id);
      workers[late!]!.goOn();
      await sleep(4000);
      sayFigures(`frozen in ${step}`, { takenAfterMs, wholeMs: Date.now() - began });
      expect([over.status, over.error, over.active]).toEqual(['ready', null, 1]);
      expect(over.fence).toBeGreaterThan(fence);
      expect(await row(held.id)).toEqual(over);
      expect((await visit(url, '/', { agent: false })).release).toMatch(/^v2 /);
      const running = processesOf(app.instance.folder).filter(({ what }) => ['supervisor', 'command'].includes(what));
      expect(running.map(({ what, of }) => `${what} ${of}`)).toEqual([`supervisor ${held.id}`]);
      const events = await app.database.db
        .selectFrom('deployment_events')
        .select(['seq', 'type'])
        .where('deploymentId', '=', held.id)
        .orderBy('seq')
        .execute();
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
      expect(events.filter(({ type }) => type === 'end')).toHaveLength(1);
      expect((await ended(await begin('taken', busyApp('v2')))).status, 'both go on working').toBe('ready');
      expect((await visitors.stop()).failures).toEqual([]);
    },
    180_000,
  );
});
