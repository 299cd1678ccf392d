import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import { createLog } from '../../../lib/log.ts';
import { convertOldApps } from '../engine/convert-old-apps.ts';
import { Folders, type Parts } from '../model/parts.ts';
import { insertSteps, updateStep } from '../model/step-store.ts';
import { byFolder, notTakenOver, selectWarnings, willBeLost } from '../release/stray-writes.ts';
import { emptyRecipe } from '../stack/read/stack-rig.ts';
import { StrayWriteUpkeep } from './stray-writes.ts';
import { RoundInstances } from './round-instances.ts';

describe('files that an app writes outside its volumes', () => {
  let app: TestApp;
  let folders: Folders;
  beforeEach(async () => {
    app = await startApp();
    folders = new Folders(newFolder('data'));
  });
  afterEach(() => app.close());
  const { newProject, newDeployment } = thingsOf(() => app);

  /** A process that was built a while ago and has served since `finishedAt`. */
  async function release(finishedAt: number): Promise<{ id: string; root: string }> {
    const { db } = app.database;
    const id = await newDeployment(await newProject());
    const built = { artifactId: id, buildFinishedAt: Date.now() - 1000 };
    await db
      .updateTable('deployments')
      .set({ status: 'ready', active: 1, finishedAt, ...built })
      .where('id', '=', id)
      .execute();
    await insertSteps(db, id, ['detect', 'build']);
    const results = {
      detect: { ...emptyRecipe, framework: null, startCommand: 'node server.js' },
      build: { kind: 'folder', site: null, bytes: 0 },
    };
    for (const [name, result] of Object.entries(results))
      await updateStep(db, id, name, { status: 'done', result: JSON.stringify(result) });
    await convertOldApps({ db, sealer: app.instance.sealer, log: createLog('silent', 'json') });
    const root = folders.release(id);
    mkdirSync(root, { recursive: true });
    return { id, root };
  }

  async function look(upkeep = new StrayWriteUpkeep()): Promise<void> {
    const runtime = createMemoryRuntime();
    const parts = { server: null, runtime, folders } as unknown as Parts;
    const { sealer } = app.instance;
    const log = createLog('silent', 'json');
    await upkeep.look({ db: app.database.db, parts, sealer, log, owner: 'test', around: new RoundInstances(runtime) });
  }
  const warningsOf = async (id: string) => (await selectWarnings(app.database.db, id)).map(({ line }) => line);

  it('are reported once, after the release has served for a minute', async () => {
    const { id, root } = await release(Date.now() - 61_000);
    const { id: young, root: youngRoot } = await release(Date.now() - 30_000);
    mkdirSync(join(root, 'uploads/2026'), { recursive: true });
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    for (const name of ['uploads/a.png', 'uploads/2026/b.png', 'app.db', 'server.pid', 'node_modules/.cache/x'])
      writeFileSync(join(root, name), '');
    symlinkSync('/etc', join(root, 'elsewhere'));
    writeFileSync(join(youngRoot, 'app.db'), '');
    const upkeep = new StrayWriteUpkeep();
    await look(upkeep);
    await look(upkeep);
    await look();
    expect(await warningsOf(id)).toEqual([
      expect.stringMatching(
        /^2 files under uploads and 1 file \(app\.db\) in the app's folder will be lost with the next deployment\. Add a volume, and keep them: mooring volume add \S+ uploads uploads --apply$/,
      ),
    ]);
    expect(await warningsOf(young)).toEqual([]);
  });

  it('are not reported if there are none', async () => {
    const { id, root } = await release(Date.now() - 61_000);
    mkdirSync(join(root, 'tmp'));
    writeFileSync(join(root, 'tmp/session'), '');
    await look();
    expect(await warningsOf(id)).toEqual([]);
  });

  it('are grouped by the topmost folder that the app has created', () => {
    const files = ['/app/up/1/a', '/app/up/2/b', '/app/up/c'].map((path) => ({ path, newFolder: '/app/up' }));
    const all = [
      { path: '/srv/x', newFolder: null },
      { path: '/data/d', newFolder: '/data' },
      { path: '/opt/e', newFolder: null },
    ];
    const found = byFolder([...all, ...files]);
    expect(found[0]).toEqual({ path: '/app/up', files: 3, example: 'a' });
    expect(willBeLost({ folders: found, slug: 'shop', service: 'web' })).toBe(
      '3 files under /app/up, 1 file (x) under /srv, 1 file (d) under /data and 1 elsewhere will be lost with the next ' +
        'deployment. Add a volume for the files to come: mooring volume add shop up /app/up --service web',
    );
    const stray = { folders: found.slice(0, 2), slug: 'shop', service: 'web' };
    const wrote = (first: string) =>
      new RegExp(`^The previous release wrote .*, which this release does not have\\.${first}$`);
    expect(notTakenOver(stray, [])).toMatch(wrote(' Add a volume .* /app/up --service web'));
    expect(notTakenOver(stray, ['/app'])).toMatch(wrote(' Add a volume .* /srv --service web'));
    expect(notTakenOver(stray, ['/app/up', '/srv'])).toMatch(wrote(''));
  });
});
