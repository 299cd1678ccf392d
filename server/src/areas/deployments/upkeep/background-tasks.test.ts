import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { until } from '../../../../test/rig/until.ts';
import { createLog } from '../../../lib/log.ts';
import { BackgroundTasks } from './background-tasks.ts';

describe.each(databaseKinds)('background tasks, on %s', (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind);
  });
  afterEach(() => app.close());
  const tasksOf = (owner: string) =>
    new BackgroundTasks({ db: app.database.db, owner, log: createLog('silent', 'json') });
  const left = async () =>
    (await app.database.db.selectFrom('background_tasks').select('id').execute()).map(({ id }) => id);

  it('respond within two seconds, and are resumed by the same replica after a kill', async () => {
    const { db } = app.database;
    const killed = tasksOf('one');
    killed.handle('wait', () => new Promise<void>(() => {}));
    await killed.add(db, 'wait', 'a', { what: 'it' });
    const begun = Date.now();
    await killed.begin('a');
    expect(Date.now() - begun).toBeGreaterThan(1000);
    expect(Date.now() - begun).toBeLessThan(3000);
    expect(await left()).toEqual(['a']);
    const done: unknown[] = [];
    const [other, again] = [tasksOf('two'), tasksOf('one')];
    for (const [name, each] of Object.entries({ other, again }))
      each.handle('wait', async (details, id) => void done.push({ name, id, details }));
    other.start();
    again.start();
    await until('it is done', async () => (await left()).length === 0);
    await Promise.all([other.stop(), again.stop()]);
    expect(done).toEqual([{ name: 'again', id: 'a', details: '{"what":"it"}' }]);
  });

  it('are kept when they fail, and respond as soon as they are done', async () => {
    const { db } = app.database;
    const tasks = tasksOf('one');
    let isReady = false;
    tasks.handle('try', async () => {
      if (!isReady) throw new Error('not yet');
    });
    await tasks.add(db, 'try', 'b', {});
    const begun = Date.now();
    await tasks.begin('b');
    expect(await left()).toEqual(['b']);
    isReady = true;
    await tasks.begin('b');
    expect(await left()).toEqual([]);
    expect(Date.now() - begun).toBeLessThan(1400);
  });
});
