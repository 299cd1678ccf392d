import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { inTransaction } from '../../../db/database.ts';
import { createGitHub } from '../../../drivers/githost/github/github.ts';
import type { CloudGitHost, LentOverview } from './port.ts';
import { LentApps } from './service.ts';
import { insertLent } from './store.ts';

const host = 'https://git.example.com';
const answer = (id: number): LentOverview => ({
  host,
  installUrl: null,
  installations: [{ id, account: { id, login: `account-${id}`, type: 'user' }, suspendedAt: null }],
});

describe.each(databaseKinds)('app of the linked cloud on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(kind);
  });
  afterAll(() => app.close());

  it('ignores a late answer of the previous link', async () => {
    const { db } = app.database;
    const { id } = await db.selectFrom('organizations').select('id').executeTakeFirstOrThrow();
    const waiting: ((said: LentOverview) => void)[] = [];
    const cloud = {
      isLinked: async () => true,
      overview: () => new Promise<LentOverview>((resolve) => waiting.push(resolve)),
    } as unknown as CloudGitHost;
    const lent = new LentApps({ db, gitHost: createGitHub({ webUrl: host, reach: 'private' }), cloud: () => cloud });
    const asked = async (count: number) => {
      while (waiting.length < count) await new Promise(setImmediate);
    };
    const use = (createdAt: number) =>
      insertLent(db, { organizationId: id, connectedBy: 'usr', cursor: null, createdAt });
    await use(1);
    const old = lent.look(id, 0);
    await asked(1);
    await inTransaction(db, (trx) => lent.drop(trx, id));
    lent.forget(id);
    await use(2);
    const current = lent.look(id, 0);
    await asked(2);
    waiting[1]!(answer(2));
    expect((await current).overview?.installations.map((each) => each.id)).toEqual([2]);
    waiting[0]!(answer(1));
    expect((await old).error?.code, 'whoever asked then is told to try again').toBe('cloud_unreachable');
    const rows = await db.selectFrom('githost_installations').select('installationId').execute();
    expect(rows).toEqual([{ installationId: 2 }]);
    expect((await lent.look(id, 60_000)).overview?.installations.map((each) => each.id)).toEqual([2]);
  });
});
