import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import type { DeploymentTable } from '../../../db/tables.ts';
import { claimNextDeployment } from '../model/queue.ts';
import { claimUpkeep, releaseUpkeep } from './server-upkeep-lease.ts';

describe.each(databaseKinds)('deployment that another replica started on a server, on %s', (kind) => {
  let app: TestApp;
  let serverId: string;
  let id: string;
  beforeAll(async () => {
    app = await startApp(kind);
    const post = async (path: string, body: object) =>
      (await app.call('POST', path, { token: ownerToken, body })).body as unknown as {
        data: { id: string };
        deployment_id: string;
      };
    const machine = { name: 'far', host: '192.0.2.1', user: 'root', password: 'not used' };
    serverId = (await post('/api/servers', machine)).data.id;
    const source = { type: 'local', path: newFolder('site') };
    const projectId = (await post('/api/projects', { name: 'shared', source })).data.id;
    id = (await post('/api/deployments/build/access', { projectId })).deployment_id;
  });
  afterAll(() => app?.close());

  const git = JSON.stringify({ type: 'git', url: 'https://example.com/a.git', branch: null, commitSha: null });
  const upload = JSON.stringify({ type: 'upload', uploadId: 'upl_1' });
  const shared = JSON.stringify({ type: 'upload', uploadId: 'upl_1', isShared: true });
  const local = JSON.stringify({ type: 'local', path: '/srv/app' });

  const cases: [what: string, change: Partial<DeploymentTable>, isTaken: boolean][] = [
    ['from git', { source: git }, true],
    ['from an upload', { source: upload }, false],
    ['from an upload in the database', { source: shared }, true],
    ['from a folder', { source: local }, false],
    ['from an upload, and built', { source: upload, artifactKept: 1 }, true],
    ['of several services', { source: git, stack: 'sealed' }, true],
    ['of several services from a folder, and built', { source: local, stack: 'sealed', artifactKept: 1 }, false],
    ['of several services from an upload in the database', { source: shared, stack: 'sealed' }, true],
    ['on its own machine', { source: git, serverId: null }, false],
    ['by one that is alive', { source: git, leaseUntil: Date.now() + 600_000 }, false],
  ];

  it.each(cases)('%s', async (_, change, isTaken) => {
    const begun = { serverId, machine: 'first', leaseOwner: 'first', leaseUntil: 1 };
    await app.database.db
      .updateTable('deployments')
      .set({ status: 'building', stack: null, artifactKept: 0, ...begun, ...change })
      .where('id', '=', id)
      .execute();
    const taken = await claimNextDeployment(app.database.db, kind, 'second', []);
    expect(taken && [taken.machine, taken.leaseOwner]).toEqual(isTaken ? ['second', 'second'] : undefined);
  });

  it("has its server's upkeep done by one replica at a time", async () => {
    const { db } = app.database;
    const claim = async (owner: string) => (await claimUpkeep(db, kind, [serverId], owner)).has(serverId);
    expect(await Promise.all(['first', 'first'].map(claim))).toEqual([true, true]);
    expect(await claim('second')).toBe(false);
    await db.updateTable('server_upkeep').set({ until: 1 }).execute();
    const both = await Promise.all(['second', 'third'].map(claim));
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await claim('first')).toBe(false);
    await releaseUpkeep(db, both[0] ? 'second' : 'third');
    expect(await claim('first')).toBe(true);
  });
});
