import { expect, it } from 'vitest';
import { startApp } from '../../../../test/rig/app.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { addServer } from '../../../../test/rig/project-on-server.ts';
import { owner, thingsOf } from '../../../../test/rig/things.ts';
import type { Drivers } from '../../../app.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import { inTransaction } from '../../../db/database.ts';
import type { BackgroundTasks } from '../upkeep/background-tasks.ts';
import { IsNodeError, type Machines } from '../model/machines.ts';
import { insertTask } from '../model/background-store.ts';
import type { ContainerParts } from '../model/parts.ts';
import { ProjectLeftovers, requireNoLeftoversOn } from './project-leftovers.ts';

it('a removal that never finishes does not block the deletion of its server', async () => {
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

it('a removal from a server that has become a node is retried, and not stored any more', async () => {
  const app = await startApp('sqlite');
  const { db } = app.database;
  const serverId = await addServer(app, 'one', { port: 80, tlsPort: 443 });
  await db.updateTable('servers').set({ runtime: 'node', swarmNodeId: 'n1' }).execute();
  const { organizationId } = await db.selectFrom('servers').select('organizationId').executeTakeFirstOrThrow();
  let remove: (details: string) => Promise<void> = () => Promise.reject(new Error('no handler'));
  const leftovers = new ProjectLeftovers({
    db,
    machines: { of: () => Promise.reject(new IsNodeError('one')) } as unknown as Machines,
    tasks: { handle: (_: string, handler: typeof remove) => void (remove = handler) } as unknown as BackgroundTasks,
    ended: async () => {},
  });
  const removal = { organizationId, projectId: 'prj_1', volumes: true, servers: [serverId], deployments: [] };
  await expect(remove(JSON.stringify(removal))).rejects.toThrow('one, is a node of a cluster now');
  const note = inTransaction(db, (trx) => leftovers.note(trx, removal));
  await expect(note).rejects.toThrow('moved to another server of its cluster');
  await app.close();
});

it("volumes on a project's server are deleted with it, even after its deployments were deleted", async () => {
  const removed: string[] = [];
  const removeVolumes = async ({ projectId }: { projectId: string }) => void removed.push(projectId);
  const onServer: Drivers['onServer'] = async () => ({
    runtime: createMemoryRuntime(),
    containers: { services: { removeVolumes }, images: { list: async () => [] } } as unknown as ContainerParts,
    edge: createMemoryEdge(),
    homeFolder: () => Promise.resolve('/root'),
    openPort: () => Promise.reject(new Error('nothing runs there')),
    close: async () => {},
    dismantle: async () => {},
  });
  const app = await startApp('sqlite', { drivers: { ...memoryDrivers(), onServer } });
  const { newProject } = thingsOf(() => app);
  const serverId = await addServer(app, 'one', { port: 80, tlsPort: 443 });
  const [kept, gone] = [await newProject(), await newProject()];
  await app.database.db.updateTable('projects').set({ serverId }).execute();
  expect((await app.call('DELETE', `/api/projects/${kept}`, owner)).status).toBe(200);
  expect((await app.call('DELETE', `/api/projects/${gone}?volumes=true`, owner)).status).toBe(200);
  await expect.poll(() => removed).toEqual([gone]);
  await app.close();
});
