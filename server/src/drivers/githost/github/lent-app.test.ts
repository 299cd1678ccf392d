import { expect, it } from 'vitest';
import { GitHostError } from '../errors.ts';
import { createGitHub } from './github.ts';
import type { Installation } from './shapes.ts';

const minute = 60_000;
const installation: Installation = { id: 1, account: null, hasAllRepositories: false, suspendedAt: null };

/** An app whose lender gives tokens that last so long, until it is away. */
function lent(lastingMs: number) {
  const lender = { isAway: false, minted: 0 };
  const app = createGitHub({ reach: 'public' }).lentApp({
    async mint() {
      if (lender.isAway) throw new GitHostError('unavailable', 'away');
      return { value: `token-${++lender.minted}`, expiresAt: Date.now() + lastingMs };
    },
    installation: async (id) => ({ ...installation, id }),
  });
  return { app, lender };
}

it('keeps a token, and asks for another one before its end', async () => {
  const long = lent(60 * minute);
  for (let i = 0; i < 3; i++) expect((await long.app.credential(1)).secret).toBe('token-1');
  const short = lent(2 * minute);
  for (let i = 1; i < 3; i++) expect((await short.app.credential(1)).secret).toBe(`token-${i}`);
});

it('goes on with what it has while nobody gives another one, and not beyond its end', async () => {
  const { app, lender } = lent(2 * minute);
  await app.credential(1);
  lender.isAway = true;
  for (let i = 0; i < 3; i++) expect((await app.credential(1)).secret).toBe('token-1');
  expect(await app.installation(2), 'one that works shows enough').toMatchObject({ id: 2 });
  await expect(app.credential(2)).rejects.toMatchObject({ code: 'unavailable' });
  app.keepOnly([2]);
  await expect(app.installation(2)).rejects.toMatchObject({ code: 'unavailable' });
  const over = lent(10_000);
  await over.app.credential(1);
  over.lender.isAway = true;
  await expect(over.app.credential(1)).rejects.toMatchObject({ code: 'unavailable' });
});
