import { describe, expect, it } from 'vitest';
import { startApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import { insertSteps, updateStep } from '../model/step-store.ts';
import { emptyRecipe } from '../stack/read/stack-rig.ts';

type Change = { active?: number; artifactId?: string; environment?: string };
type BuildState = { releaseCommandsSince: string[]; warnings: { kind: string; message: string }[] };

describe.each(databaseKinds)('GET /api/deployments/:id/build on %s', (kind) => {
  it('names the release commands that a rollback does not undo, and the data that no volume keeps', async () => {
    const app = await startApp(kind);
    const { db } = app.database;
    const { newProject, newDeployment, get } = thingsOf(() => app);
    const projectId = await newProject();
    /** A finished deployment whose release command ran, unless there is none. */
    const release = async (releaseCommand: string | null, change: Change = {}) => {
      const id = await newDeployment(projectId);
      await db
        .updateTable('deployments')
        .set({ status: 'ready', ...change })
        .where('id', '=', id)
        .execute();
      await insertSteps(db, id, ['detect', 'release']);
      const hints = { apps: [], unset: [], losses: ['uploads are lost'] };
      const result = JSON.stringify({ ...emptyRecipe, framework: null, releaseCommand, hints });
      const finishedAt = change.artifactId ? null : 1;
      await updateStep(db, id, 'detect', { status: 'done', result, finishedAt });
      await updateStep(db, id, 'release', { status: releaseCommand && !change.artifactId ? 'done' : 'skipped' });
      return id;
    };
    const buildOf = async (id: string) =>
      ((await get(`/api/deployments/${id}/build`)).body as unknown as { data: BuildState }).data;
    const since = async (id: string) => (await buildOf(id)).releaseCommandsSince;

    const first = await release('migrate one');
    const second = await release('migrate two');
    await release('migrate two');
    await release(null);
    await release('migrate elsewhere', { environment: 'staging' });
    const rolledBack = await release('migrate one', { artifactId: first });
    const newest = await release('migrate three', { active: 1 });
    expect(await since(first)).toEqual(['migrate two', 'migrate three']);
    expect(await since(second)).toEqual(['migrate two', 'migrate three']);
    expect(await since(rolledBack), 'it runs the code of the first one').toEqual(['migrate two', 'migrate three']);
    expect(await since(newest)).toEqual([]);

    const detected = [{ kind: 'detected', message: 'uploads are lost' }];
    expect((await buildOf(newest)).warnings).toMatchObject(detected);
    expect((await buildOf(rolledBack)).warnings, 'volumes may have been added since').toEqual([]);
    await app.close();
  });
});
