import { chmodSync, mkdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { BuildFailedError } from '../../../drivers/images/errors.ts';
import { RegistryError } from '../../../drivers/images/registry/image-registry.ts';
import { createSealer, sealKey } from '../../../lib/seal.ts';
import { BuildQueue } from './build-queue.ts';
import { loadContext, newContextId, storeContext } from './context-files.ts';
import { buildErrorOf, buildFailureOf } from './wire.ts';
import { connectedWorkers, reportWorker, selectWorkers } from './worker-store.ts';

const platform = 'linux/arm64';
const [one, two] = ['one', 'two'].map((name) => ({
  id: `rep_${name}`,
  name,
  platforms: [platform],
  labels: ['gpu'],
  version: '1.0.0',
})) as [Parameters<BuildQueue['claim']>[0], Parameters<BuildQueue['claim']>[0]];

describe.each(databaseKinds)('queue of builds on %s', (kind) => {
  let app: TestApp;
  let queue: BuildQueue;
  let deploymentId: string;
  const keys = [sealKey(randomBytes(32))];
  beforeEach(async () => {
    app = await startApp(kind);
    queue = new BuildQueue({ ...app.database, sealer: createSealer({ keys: () => keys }) });
    const path = newFolder('site');
    const post = (to: string, body: object) => app.call('POST', to, { token: ownerToken, body });
    const made = await post('/api/projects', { name: 'shop', source: { type: 'local', path } });
    const { id: projectId } = (made.body as unknown as { data: { id: string } }).data;
    const begun = await post('/api/deployments/build/access', { projectId });
    deploymentId = (begun.body as unknown as { deployment_id: string }).deployment_id;
  });
  afterEach(() => app.close());

  const order = {
    request: { owner: {} as never, dockerfile: { text: 'FROM scratch' } },
    secrets: { TOKEN: 'c2VjcmV0' },
    push: { registry: 'registry.example.com', login: { username: 'a', password: 'hush' } },
    deadlineMs: 1000,
  };
  const add = (labels: string[] = [], more: object = {}) =>
    queue.add({ deploymentId, fence: 0, service: 'app', platform, contextId: 'ctx_1', labels, ...more }, order);
  const expire = (id: string) =>
    app.database.db.updateTable('builds').set({ leaseUntil: 1 }).where('id', '=', id).execute();

  it('gives each build to one worker that fits', async () => {
    await add(['tpu']);
    const id = await add(['gpu']);
    const claims = await Promise.all([queue.claim(one, []), queue.claim(two, [])]);
    expect(claims.flatMap((each) => (each ? [each.id] : []))).toEqual([id]);
    expect(claims.find(Boolean)?.order).toEqual(order);
    const [row] = await app.database.db.selectFrom('builds').selectAll().where('id', '=', id).execute();
    expect(JSON.stringify(row)).not.toMatch(/c2VjcmV0|hush/);
  });

  it('fences off a worker whose lease has expired', async () => {
    const id = await add();
    const first = (await queue.claim(one, []))!;
    expect(await queue.claim(two, [])).toBeUndefined();
    expect(await queue.renew(first)).toBeDefined();
    await expire(id);
    const second = (await queue.claim(two, []))!;
    expect(await queue.renew(first)).toBeUndefined();
    await queue.addLines(first, 0, [['late', 'stdout']]);
    await queue.finish(first, { failure: { kind: 'Error', message: 'late' } });
    await queue.addLines(second, 0, [['in time', 'stderr']]);
    const pushed = { repository: 'r/mooring', tag: 't', digest: 'sha256:1' };
    await queue.finish(second, { pushed, bytes: 5 });
    const expected = { owner: two.id, attempt: 2, lines: [['in time', 'stderr']], outcome: { pushed, bytes: 5 } };
    expect(await queue.progress(id)).toMatchObject(expected);
    expect((await queue.progress(id))?.lines).toEqual([]);
  });

  it('ends a build when another replica has taken its deployment over, or removes it', async () => {
    const id = await add();
    const claimed = (await queue.claim(one, []))!;
    expect(await queue.withdraw(id)).toBe(false);
    await app.database.db.updateTable('deployments').set({ fence: 7 }).where('id', '=', deploymentId).execute();
    expect(await queue.renew(claimed)).toBeUndefined();
    const next = await add([], { fence: 7 });
    const again = (await queue.claim(two, []))!;
    expect(again.id).toBe(next);
    // The replica that has lost the deployment clears away only what it left.
    await queue.remove({ id: deploymentId, fence: 0 }, 'app');
    expect(await queue.progress(id)).toBeUndefined();
    expect(await queue.renew(again)).toBeDefined();
    await queue.remove({ id: deploymentId, fence: 7 }, 'app');
    expect(await queue.renew(again)).toBeUndefined();
    expect(await queue.progress(next)).toBeUndefined();
  });

  it('counts workers that gave the build back apart from those that were killed', async () => {
    const id = await add();
    await queue.release((await queue.claim(one, []))!);
    expect(await queue.progress(id)).toMatchObject({ owner: null, attempt: 1, returned: 1, isHeld: false });
    await queue.claim(two, []);
    await expire(id);
    expect(await queue.progress(id)).toMatchObject({ owner: two.id, attempt: 2, returned: 1, isHeld: false });
  });

  it('leaves a build that a worker cannot read to others', async () => {
    const id = await add();
    const other = new BuildQueue({ ...app.database, sealer: createSealer({ keys: () => [sealKey(randomBytes(32))] }) });
    await expect(other.claim(one, [])).rejects.toThrow(/key/);
    expect(await queue.progress(id)).toMatchObject({ attempt: 0 });
    expect(await queue.claim(two, [])).toMatchObject({ id });
  });

  it('removes files whose build was never added', async () => {
    const { db } = app.database;
    const context = newFolder('context');
    writeFileSync(join(context, 'noise'), randomBytes(1_300_000));
    const store = async (fence: number, service: string) => {
      const contextId = newContextId({ id: deploymentId, fence }, service);
      const { signal } = new AbortController();
      await storeContext(db, { contextId, deploymentId }, { context, dockerfile: { text: '' } }, signal);
      return contextId;
    };
    await store(1, 'app');
    const kept = [await store(1, 'app.db'), await store(2, 'app')];
    await queue.remove({ id: deploymentId, fence: 1 }, 'app');
    const left = await db.selectFrom('build_chunks').select('contextId').distinct().execute();
    expect(left.map(({ contextId }) => contextId).toSorted()).toEqual(kept.toSorted());
  });

  it('gives a worker one platform of an image at a time', async () => {
    await add();
    await add();
    const first = (await queue.claim(one, []))!;
    expect(await queue.claim(one, [first])).toBeUndefined();
    expect(await queue.claim(two, [])).toBeDefined();
  });

  it('lists workers with what they build, and knows those that are gone', async () => {
    const { db } = app.database;
    await reportWorker(db, kind, one);
    await reportWorker(db, kind, { ...two, labels: [] });
    await add();
    await queue.claim(one, []);
    await db
      .updateTable('workers')
      .set({ seenAt: Date.now() - 60_000 })
      .where('id', '=', two.id)
      .execute();
    expect((await connectedWorkers(db, kind)).map(({ name }) => name)).toEqual(['one']);
    expect(await selectWorkers(db, kind)).toMatchObject([
      { name: 'one', isConnected: true, builds: [{ deploymentId, service: 'app', platform }] },
      { name: 'two', isConnected: false, builds: [] },
    ]);
  });

  it('carries files, without ignored ones', async () => {
    const [context, folder] = [newFolder('context'), newFolder('out')];
    mkdirSync(join(context, 'deep/er'), { recursive: true });
    const noise = randomBytes(1_300_000);
    writeFileSync(join(context, 'deep/er/noise'), noise);
    writeFileSync(join(context, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(context, 'run.sh'), 0o750);
    writeFileSync(join(context, 'secret'), 'x');
    symlinkSync('../outside', join(context, 'link'));
    writeFileSync(join(context, '..data'), 'dots');
    const { signal } = new AbortController();
    const place = { contextId: 'ctx_2', deploymentId };
    await storeContext(app.database.db, place, { context, dockerfile: { text: '' }, ignore: 'secret' }, signal);
    await loadContext(app.database.db, 'ctx_2', folder, signal);
    expect(readFileSync(join(folder, 'deep/er/noise')).equals(noise)).toBe(true);
    expect(statSync(join(folder, 'run.sh')).mode & 0o777).toBe(0o750);
    expect(readlinkSync(join(folder, 'link'))).toBe('../outside');
    expect(readFileSync(join(folder, '..data'), 'utf8')).toBe('dots');
    expect(statSync(join(folder, 'secret'), { throwIfNoEntry: false })).toBeUndefined();
  });
});

it('errors of a build survive the way through the database', () => {
  const error = new BuildFailedError('process did not complete: exit code: 3', {
    instruction: 'RUN x',
    lastLines: ['a'],
  });
  const back = buildErrorOf(
    JSON.parse(JSON.stringify(buildFailureOf(error))) as ReturnType<typeof buildFailureOf>,
    1000,
  );
  expect(back).toBeInstanceOf(BuildFailedError);
  expect(back).toMatchObject({ message: error.message, exitCode: 3, lastLines: ['a'], diskFull: false });
  const refused = buildErrorOf(buildFailureOf(new RegistryError('the image was not sent', 'Check it.')), 1000);
  expect(refused).toBeInstanceOf(RegistryError);
  expect(refused).toMatchObject({ message: 'the image was not sent', hint: 'Check it.' });
});
