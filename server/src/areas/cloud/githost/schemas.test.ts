import { expect, it } from 'vitest';
import { HandedDelivery, LentOverviewAnswer, LentTokenAnswer } from './schemas.ts';

const nul = '\0';
const account = { id: 7, login: 'octo', type: 'user' };
const overview = (change: object, more: object = {}) =>
  LentOverviewAnswer.safeParse({
    success: true,
    data: {
      host: 'https://github.com',
      installUrl: null,
      installations: [{ id: 70, account, suspendedAt: null, ...change }],
      ...more,
    },
  }).success;

it('rejects values that a database could not store', () => {
  expect(overview({})).toBe(true);
  for (const id of [1e300, 2 ** 60, 1.5, -1, 0, Infinity, '70']) {
    expect(overview({ id }), `installation ${id}`).toBe(false);
    expect(overview({ account: { ...account, id } }), `account ${id}`).toBe(false);
  }
  for (const login of [nul, `a${nul}b`, '', 'x'.repeat(401), 'a\nb', '\ud800', 7])
    expect(overview({ account: { ...account, login } }), JSON.stringify(login)).toBe(false);
  expect(overview({}, { host: `https://${nul}` })).toBe(false);
  for (const token of ['', nul, 'a b', 'x'.repeat(2001)])
    expect(LentTokenAnswer.safeParse({ success: true, data: { token, expiresAt: '' } }).success, token).toBe(false);
});

const push = {
  type: 'push',
  repository: { id: 1, owner: 'team', name: 'shop', defaultBranch: 'main' },
  installationId: 70,
  ref: { kind: 'branch', name: 'main' },
  commitSha: 'a'.repeat(40),
  beforeSha: null,
  message: 'says hello',
  pusher: '',
  changedFiles: ['a'],
  hasAllFiles: true,
  isDeleted: false,
  isForced: false,
};
const delivery = (change: object) =>
  HandedDelivery.safeParse({
    id: 'guid-1',
    digest: '0'.repeat(64),
    event: { ...push, ...change },
    receivedAt: '2026-01-01T00:00:00Z',
  });

it('accepts storable deliveries, and cleans up free text', () => {
  expect(delivery({}).success).toBe(true);
  for (const change of [
    { ref: { kind: 'branch', name: nul } },
    { ref: { kind: 'branch', name: 'x'.repeat(1001) } },
    { commitSha: nul },
    { commitSha: 'main' },
    { repository: { ...push.repository, name: nul } },
    { repository: { ...push.repository, defaultBranch: nul } },
    { repository: { ...push.repository, id: 2 ** 60 } },
    { installationId: 1e300 },
    { pusher: `a${nul}` },
    { changedFiles: Array.from({ length: 5000 }, () => 'x') },
  ])
    expect(delivery(change).success, JSON.stringify(change).slice(0, 100)).toBe(false);
  const { data } = delivery({ message: `line one\n${nul}line \ud800 two`, changedFiles: [`a${nul}b`] });
  expect(data?.event).toMatchObject({ message: 'line one\nline \ufffd two', changedFiles: ['ab'] });
});
