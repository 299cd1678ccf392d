import { describe, expect, it } from 'vitest';
import { ownerToken, startApp } from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { signInOwner } from '../../../test/rig/people.ts';
import { Housekeeping } from './housekeeping.ts';

describe.each(databaseKinds)('housekeeping on %s', (kind) => {
  it('deletes expired rows only', async () => {
    const app = await startApp(kind);
    const { db } = app.database;
    await signInOwner(app);
    await app.call('POST', '/api/invitations', { token: ownerToken, body: { email: 'x@example.com', role: 'viewer' } });
    await app.call('POST', '/api/auth/sign-in', { body: { email: 'x@example.com', password: 'wrong' } });
    const counts = async () => {
      const tables = ['sessions', 'invitations', 'sign_in_failures', 'audit_entries'] as const;
      return Promise.all(tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length));
    };
    const housekeeping = new Housekeeping(db, 365, () => {});
    await housekeeping.run();
    expect(await counts()).toEqual([1, 1, 4, 3]);
    await housekeeping.run(Date.now() + 100 * 86_400_000);
    expect(await counts()).toEqual([0, 0, 0, 3]);
    await housekeeping.run(Date.now() + 366 * 86_400_000);
    expect(await counts()).toEqual([0, 0, 0, 0]);
    housekeeping.stop();
    await app.close();
  });
});
