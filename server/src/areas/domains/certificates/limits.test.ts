import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { databaseKinds, openNewDatabase } from '../../../../test/rig/databases.ts';
import type { OrderReason } from './due.ts';
import { OrderLimits } from './limits.ts';
import { markOrderIssued } from './authority-order-store.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe.each(databaseKinds)('certificate order limits on %s', (kind) => {
  let database: Database;
  let limits: OrderLimits;
  beforeAll(async () => {
    database = await openNewDatabase(kind);
    limits = new OrderLimits({ db: database.db, kind, baseDomain: 'apps.example' });
  });
  afterAll(() => database.db.destroy());

  let at = Date.now();
  const wish = (name: string, reason: OrderReason, organizationId = `org_${name}`) => ({
    owner: { name, organizationId, projectId: 'prj_1' },
    reason,
  });
  const order = async (
    name: string,
    reason: OrderReason,
    { time = at, organization = `org_${name}`, isIssued = true } = {},
  ) => {
    const id = await limits.take(wish(name, reason, organization), time);
    if (isIssued) await markOrderIssued(database.db, id);
    return id;
  };
  /** Skips a week, so that no earlier order counts. */
  const later = () => void (at += 8 * day);

  it('allow four certificates a week per name across owners, the next one when the first is a week old', async () => {
    await order('a.example', 'first');
    for (let i = 1; i < 4; i++) await order('a.example', 'asked', { time: at + i * day, organization: `org_${i}` });
    const refused = await limits.look(wish('a.example', 'asked', 'org_9'), at + 4 * day);
    expect(refused).toMatchObject({ code: 'rate_limited', retryAt: at + 7 * day });
    expect(refused!.message).toBe('a.example got 4 certificates within a week');
    expect(refused!.hint).toContain(new Date(at + 7 * day).toISOString());
    await expect(order('a.example', 'first', { time: at + 4 * day })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(await limits.look(wish('b.example', 'asked'), at + 4 * day)).toBeUndefined();
    expect(await limits.look(wish('a.example', 'asked'), at + 7 * day)).toBeUndefined();
    later();
  });

  it('count failed orders for an hour only, and returned ones not at all', async () => {
    for (let i = 0; i < 8; i++) await limits.giveBack(await order('f.example', 'first', { isIssued: false }));
    for (let i = 0; i < 5; i++) await order('f.example', 'first', { isIssued: false });
    await expect(order('f.example', 'first')).rejects.toThrow(
      '5 certificates were ordered for f.example within an hour',
    );
    await order('f.example', 'first', { time: at + hour });
    later();
  });

  it('never block renewals that are due', async () => {
    for (let i = 0; i < 30; i++) await order('short.example', 'renewal');
    expect(await limits.look(wish('short.example', 'asked'), at)).toBeUndefined();
    later();
  });

  it('are lower for one organization than for the instance', async () => {
    const organization = 'org_busy';
    for (let i = 0; i < 20; i++) await order(`n${i}.example`, 'asked', { organization });
    await expect(order('n21.example', 'asked', { organization })).rejects.toThrow(
      'your organization ordered 20 certificates within an hour',
    );
    // New names of the organization and other organizations are not affected.
    await order('n21.example', 'first', { organization });
    await order('n22.example', 'asked', { organization: 'org_other' });
    await order('n23.example', 'asked', { organization, time: at + hour });
    later();
  });

  it('leave room below the base domain for other organizations', async () => {
    const organization = 'org_many';
    for (let i = 0; i < 40; i++) await order(`n${i}.apps.example`, 'first', { organization });
    await expect(order('more.apps.example', 'first', { organization })).rejects.toThrow(
      'got 40 certificates within a week',
    );
    await order('more.apps.example', 'first', { organization: 'org_other' });
    await order('own.example', 'first', { organization });
    later();
  });

  it('hold under concurrent orders', async () => {
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, () => order('once.example', 'first', { isIssued: false })),
    );
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    later();
  });

  it('drop orders older than a week', async () => {
    await limits.tidy(at + 30 * day);
    expect(await database.db.selectFrom('authority_orders').selectAll().execute()).toEqual([]);
  });
});
