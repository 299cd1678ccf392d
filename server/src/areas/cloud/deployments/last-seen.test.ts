import { describe, expect, it } from 'vitest';
import { ownerToken as token, startApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { CloudClient } from '../../../drivers/cloud/cloud-client.ts';
import { newId } from '../../../lib/ids.ts';
import { type CloudDeployment, LastSeenDeployments } from './last-seen.ts';
import { selectAllLastSeen } from './store.ts';

describe.each(databaseKinds)('known cloud deployments on %s', (kind) => {
  it('are the newest of each project, however many the cloud lists', async () => {
    const app = await startApp(kind);
    const { db } = app.database;
    const known = new LastSeenDeployments(db, new CloudClient({ reach: 'private', ca: undefined }));
    const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
    const projectThere = async (name: string) => {
      const made = await app.call('POST', '/api/projects', { token, body: { name, source } });
      const { id } = made.body['data'] as unknown as { id: string };
      const begun = await app.call('POST', '/api/deployments', { token, body: { projectId: id, autoStart: false } });
      await db.updateTable('projects').set({ cloudState: 'there' }).where('id', '=', id).execute();
      return begun.body['data'] as unknown as CloudDeployment;
    };
    const [one, two] = [await projectThere('one'), await projectThere('two')];
    const { organizationId } = one;
    const many = Array.from({ length: 1030 }, (_, i) => ({ ...one, id: newId('dep', 1_700_000_000_000 + i) }));
    const few = Array.from({ length: 3 }, (_, i) => ({ ...two, id: newId('dep', 1_600_000_000_000 + i) }));
    await known.noteAll(organizationId, few);
    const rows = many.map(({ id, projectId, status }) => ({ id, projectId, status, summary: '{}' }));
    const seen = { organizationId, seenAt: 0 };
    await db
      .insertInto('cloud_deployments')
      .values(rows.slice(0, 1000).map((row) => ({ ...row, ...seen })))
      .execute();
    await known.noteAll(organizationId, many.slice(1000));
    const kept = async () => (await selectAllLastSeen(db, organizationId)).map(({ id }) => id).toSorted();
    const expected = [...few, ...many.slice(30)].map(({ id }) => id).toSorted();
    expect(await kept()).toEqual(expected);
    expect(await known.note(organizationId, { ...one, id: newId('dep', 1_500_000_000_000) }), 'it is one').toBe(true);
    expect(await kept()).toEqual(expected);
    // A malicious cloud lists a deployment id of this instance.
    expect(await known.note(organizationId, one)).toBe(false);
    expect(await known.noteAll(organizationId, [one, two])).toEqual([]);
    expect(await kept()).toEqual(expected);
    await app.close();
  });
});
