import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import type { PushEvent } from '../../../drivers/githost/webhook-events.ts';
import { DeliveryQueue } from './queue.ts';

const day = 86_400_000;
const installation = { id: 72, account: { id: 1, login: 'team', type: 'organization' } } as const;
const named = (guid: string) => ({ guid, digest: guid.padStart(64, '0') });

describe.each(databaseKinds)('delivery queue on %s', (kind) => {
  let app: TestApp;
  let queue: DeliveryQueue;
  let organizationId: string;
  beforeAll(async () => {
    app = await startApp(kind);
    queue = new DeliveryQueue(app.database.db);
    organizationId = (await app.database.db.selectFrom('organizations').select('id').executeTakeFirstOrThrow()).id;
  });
  afterAll(() => app.close());

  const put = (guid: string) =>
    queue.handled(organizationId, { type: 'installation', action: 'changed', installation }, named(guid));
  const read = async (after: string | undefined, waitMs = 0) => {
    const { rows, ...rest } = await queue.read(organizationId, after, waitMs);
    return { ...rest, guids: rows.map(({ guid }) => guid) };
  };

  it('stores each delivery once after the first read, and reads from any cursor', async () => {
    await put('early');
    const { next, guids, missed } = await read(undefined);
    expect([guids, missed]).toEqual([[], false]);
    for (const guid of ['a1', 'a2', 'a2', 'a1']) await put(guid);
    await queue.handled(
      organizationId,
      { type: 'installation', action: 'changed', installation },
      { ...named('a1'), guid: 'other' },
    );
    const all = await read(next);
    expect([all.guids, (await read(next)).guids, (await read(all.next)).guids]).toEqual([
      ['a1', 'a2'],
      ['a1', 'a2'],
      [],
    ]);
  });

  it('loses nothing under concurrent writes', async () => {
    const { next: first } = await read(undefined);
    const guids = Array.from({ length: 60 }, (_, i) => `many-${i}`);
    let [cursor, seen, isDone] = [first, [] as string[], false];
    const reading = (async () => {
      for (let isLast = false; !isLast;) {
        isLast = isDone;
        const page = await read(cursor);
        seen = [...seen, ...page.guids];
        cursor = page.next;
        isLast &&= page.guids.length === 0;
      }
    })();
    await Promise.all(guids.map((guid) => put(guid)));
    isDone = true;
    await reading;
    expect(seen.toSorted()).toEqual(guids.toSorted());
  });

  it('wakes waiting readers', async () => {
    const waiting = read((await read(undefined)).next, 10_000);
    const began = Date.now();
    await put('b1');
    expect([(await waiting).guids, Date.now() - began < 2000]).toEqual([['b1'], true]);
    expect((await read((await read(undefined)).next, 30)).guids).toEqual([]);
  });

  it('reports missing deliveries', async () => {
    const { db } = app.database;
    const { next } = await read(undefined);
    for (const guid of ['c1', 'c2']) await put(guid);
    await db
      .updateTable('cloud_deliveries')
      .set({ createdAt: Date.now() - 4 * day })
      .where('guid', '=', 'c1')
      .execute();
    await queue.tidy();
    expect(await read(next)).toMatchObject({ guids: ['c2'], missed: true });
    expect(await read((await read(next)).next)).toMatchObject({ guids: [], missed: false });
    for (const odd of ['', '.', 'x', 'x.1', `${next.split('.')[0]}.x`, `${next.split('.')[0]}.999999`])
      expect((await read(odd)).missed, odd).toBe(true);
    await db.updateTable('cloud_queues').set({ lastSeq: 2099 }).execute();
    await put('c3');
    expect(await read(next)).toMatchObject({ guids: ['c3'], missed: true });
    await queue.tidy(Date.now() + 4 * day);
    expect(await db.selectFrom('cloud_queues').selectAll().execute(), 'nobody asks').toEqual([]);
    await put('c4');
    expect(await db.selectFrom('cloud_deliveries').selectAll().execute()).toEqual([]);
  });

  it('limits the size of a delivery', async () => {
    const { next } = await read(undefined);
    const changedFiles = Array.from({ length: 5000 }, (_, i) => `folder/file-${i}`);
    const push = { type: 'push', changedFiles, hasAllFiles: true, message: 'all' } as unknown as PushEvent;
    await queue.handled(organizationId, push, named('d1'));
    const { rows } = await queue.read(organizationId, next, 0);
    expect(JSON.parse(rows[0]!.content)).toEqual({
      type: 'push',
      changedFiles: [],
      hasAllFiles: false,
      message: 'all',
    });
  });
});
