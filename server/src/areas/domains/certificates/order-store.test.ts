import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { projectWith } from '../../../../test/rig/domains.ts';
import type { CertificateOwner } from './certificate-names-port.ts';
import { selectDomainOwner } from './certificate-names-store.ts';
import {
  claimOrder,
  dropOrder,
  endOrder,
  ensureOrder,
  renewOrder,
  selectNextOrder,
  selectOrder,
  wantOrder,
} from './order-store.ts';

describe.each(databaseKinds)('certificate orders on %s', (kind) => {
  let app: TestApp;
  let made = 0;
  beforeAll(async () => {
    app = await startApp(kind);
  });
  afterAll(() => app.close());

  async function newName(): Promise<CertificateOwner> {
    const name = `n${++made}.example.com`;
    const projectId = await projectWith(app, [name]);
    const { organizationId } = (await selectDomainOwner(app.database.db, name))!;
    return { name, organizationId, projectId };
  }
  const claim = (name: string, owner: string, also: Parameters<typeof claimOrder>[2]['also'], held: string[] = []) =>
    claimOrder(app.database.db, kind, { name, owner, held, also });
  const end = (row: Parameters<typeof endOrder>[2], status: 'done' | 'failed', pauseMs = 0) =>
    endOrder(app.database.db, kind, row, { status, attempts: 1, error: null, pauseMs });

  it('are claimed by exactly one of several concurrent workers', async () => {
    const owned = await newName();
    const { fence } = await ensureOrder(app.database.db, owned);
    const claims = await Promise.all(Array.from({ length: 8 }, (_, i) => claim(owned.name, `w${i}`, { fence })));
    expect(claims.filter(Boolean)).toHaveLength(1);
    const [held] = claims.filter((each) => each !== undefined);
    await end(held!, 'done');
    expect(await claim(owned.name, 'late', { fence })).toBeUndefined();
    expect(await claim(owned.name, 'new', { fence: held!.fence })).toMatchObject({ owner: 'new', fence: fence + 2 });
    expect(await end(held!, 'failed'), 'whoever has lost it changes nothing').toBe(false);
  });

  it('cannot be ended by the previous owner of a name that moved to another project', async () => {
    const [before, after] = [await newName(), await newName()];
    const { db } = app.database;
    await wantOrder(db, before, undefined);
    const lost = (await claim(before.name, 'a', 'due'))!;
    await dropOrder(db, lost);
    await wantOrder(db, { ...after, name: before.name }, undefined);
    const held = (await claim(before.name, 'b', 'due'))!;
    expect(held).toMatchObject({ fence: lost.fence });
    expect([await renewOrder(db, kind, lost), await end(lost, 'done')]).toEqual([false, false]);
    await dropOrder(db, lost);
    expect(await selectOrder(db, before.name), 'whoever has lost it drops nothing').toBeDefined();
    await dropOrder(db, held);
  });

  it('are taken over from dead workers, and by the same worker after a restart', async () => {
    const owned = await newName();
    const { db } = app.database;
    await wantOrder(db, owned, undefined);
    expect(await claim(owned.name, 'a', 'none')).toBeUndefined();
    expect(await claim(owned.name, 'a', 'due')).toMatchObject({ fence: 1 });
    expect(await claim(owned.name, 'b', 'due')).toBeUndefined();
    expect(await claim(owned.name, 'a', 'none', [owned.name])).toBeUndefined();
    expect(await claim(owned.name, 'a', 'none')).toMatchObject({ fence: 2 });
    await db.updateTable('certificate_orders').set({ leaseUntil: 1 }).where('name', '=', owned.name).execute();
    expect(await selectNextOrder(db, kind, 'b', [])).toBe(owned.name);
    expect(await claim(owned.name, 'b', 'due')).toMatchObject({ owner: 'b', fence: 3 });
  });

  it('wait for their next attempt unless a user asks for it', async () => {
    const owned = await newName();
    const { db } = app.database;
    await wantOrder(db, owned, undefined);
    await end((await claim(owned.name, 'a', 'due'))!, 'failed', 60_000);
    expect(await claim(owned.name, 'a', 'due')).toBeUndefined();
    expect(await claim(owned.name, 'a', { fence: 1 })).toMatchObject({ status: 'running', fence: 2 });
  });

  it('are not requested again based on a stale read of a finished order', async () => {
    const owned = await newName();
    const { db } = app.database;
    const seen = await ensureOrder(db, owned);
    await end((await claim(owned.name, 'a', { fence: seen.fence }))!, 'done');
    await wantOrder(db, owned, seen);
    await wantOrder(db, owned, undefined);
    expect(await selectOrder(db, owned.name)).toMatchObject({ status: 'done' });
    await wantOrder(db, owned, (await selectOrder(db, owned.name))!);
    expect(await selectOrder(db, owned.name)).toMatchObject({ status: 'waiting' });
  });
});
