import { z } from '../../../lib/zod/index.ts';
import type { Db } from '../../../db/database.ts';
import { storedJson } from '../../../db/stored-json.ts';
import type { OAuthTokens } from '../../../drivers/githost/github/oauth-answers.ts';
import type { TokenVault } from '../../../drivers/githost/github/oauth-source.ts';
import { GitHostError } from '../../../drivers/githost/errors.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { selectConnection, updateTokens } from './store.ts';

const placeOf = (id: string) => ({ table: 'githost_connections', column: 'tokens', row: id });

const StoredTokens = z.object({
  accessToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.number().nullable(),
  refreshExpiresAt: z.number().nullable(),
  scopes: z.array(z.string()),
}) satisfies z.ZodType<OAuthTokens>;
const readTokens = storedJson('githost_connections.tokens', StoredTokens);

export const sealTokens = (sealer: Sealer, id: string, tokens: OAuthTokens): string =>
  sealer.seal(JSON.stringify(tokens), placeOf(id));

export const openTokens = (sealer: Sealer, id: string, sealed: string): OAuthTokens =>
  readTokens(sealer.open(sealed, placeOf(id)));

/** Returns the token vault of a connection. */
export const vaultOf = (db: Db, sealer: Sealer, organizationId: string, id: string): TokenVault => ({
  async read() {
    const row = await selectConnection(db, organizationId, id);
    return row?.tokens ? openTokens(sealer, id, row.tokens) : undefined;
  },
  async write(tokens) {
    if (!(await updateTokens(db, organizationId, id, sealTokens(sealer, id, tokens), Date.now())))
      throw new GitHostError('unauthorized', 'the account was disconnected');
  },
});
