import { expect, it } from 'vitest';
import { GitHostError } from '../errors.ts';
import { createGitHub } from './github.ts';
import type { GitHubInstallation } from './shapes.ts';

const minute = 60_000;
const installation: GitHubInstallation = { id: 1, account: null, hasAllRepositories: false, suspendedAt: null };

/** Creates an app whose lender issues tokens with this lifetime, unless `isAway` is set. */
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

it('caches a token and replaces it before it expires', async () => {
  const long = lent(60 * minute);
  for (let i = 0; i < 3; i++) expect((await long.app.credential(1)).secret).toBe('token-1');
  const short = lent(2 * minute);
  for (let i = 1; i < 3; i++) expect((await short.app.credential(1)).secret).toBe(`token-${i}`);
});

it('uses cached tokens until they expire while the lender is unavailable', async () => {
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
