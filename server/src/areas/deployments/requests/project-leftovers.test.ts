import { expect, it } from 'vitest';
import { startApp } from '../../../../test/rig/app.ts';
import { insertTask } from '../model/background-store.ts';
import { requireNoLeftoversOn } from './project-leftovers.ts';

it('a removal that never ends does not keep a server from being deleted', async () => {
  const app = await startApp('sqlite');
  const { db } = app.database;
  const removal = { organizationId: 'org_1', projectId: 'prj_1', volumes: false, servers: ['srv_1'], deployments: [] };
  const noted = (createdAt: number) => ({
    id: 'prj_1',
    kind: 'remove_project',
    owner: 'another replica',
    details: JSON.stringify(removal),
    createdAt,
  });
  await insertTask(db, noted(Date.now()));
  await expect(requireNoLeftoversOn(db, 'srv_1')).rejects.toThrow(/still being removed.*deleted in 1[12]\d s/);
  await requireNoLeftoversOn(db, 'srv_2');
  await db
    .updateTable('background_tasks')
    .set({ createdAt: Date.now() - 120_000 })
    .execute();
  await requireNoLeftoversOn(db, 'srv_1');
  await app.close();
});
