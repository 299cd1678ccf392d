import type { Trx } from '../../../db/database.ts';
import type { GithostConnectionTable } from '../../../db/tables.ts';
import { GitHostError, isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { OAuthTokens } from '../../../drivers/githost/github/oauth-answers.ts';
import type { OAuthSource, TokenVault } from '../../../drivers/githost/github/oauth-source.ts';
import { isSameName } from '../../../drivers/githost/github/path.ts';
import type { Installation } from '../../../drivers/githost/github/shapes.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { deleteConnections, insertConnection } from './store.ts';
import { sealTokens } from './vault.ts';

/** An account that has just signed in, not kept yet. */
export interface SignedInAccount {
  login: string;
  source: OAuthSource;
  tokens: () => OAuthTokens;
}

export async function whoSignedIn(gitHost: GitHub, tokens: OAuthTokens, signal: AbortSignal): Promise<SignedInAccount> {
  const source = gitHost.oauthSource(heldTokens(tokens))!;
  const state = await source.state({ signal });
  if (state.isUsable) return { login: state.login, source, tokens: () => tokens };
  throw new GitHostError(state.reason === 'signed_out' ? 'unauthorized' : 'unavailable', state.message);
}

/** Tokens that are not kept anywhere. They are new, so nobody has to refresh them. */
export const heldTokens = (tokens: OAuthTokens): TokenVault => ({
  read: () => Promise.resolve(tokens),
  write: () => Promise.reject(new GitHostError('unavailable', 'the git host returned expired tokens')),
});

/** Where the app is installed on accounts that this person decides about. Whoever merely sees one of its repositories sees
 * the installation, too, and must not get all the others with it. */
export async function provenInstallations(
  { source }: Pick<SignedInAccount, 'source'>,
  signal: AbortSignal,
): Promise<Installation[]> {
  try {
    const [seen, own] = await Promise.all([source.installations({ signal }), decidedBy(source, signal)]);
    return seen.filter(({ account }) => account && own.some((login) => isSameName(login, account.login)));
  } catch (error) {
    // The client is not the app's own: then it shows nothing about installations.
    if (isGitHostError(error, 'forbidden', 'not_found', 'invalid')) return [];
    throw error;
  }
}

async function decidedBy(source: OAuthSource, signal: AbortSignal): Promise<string[]> {
  try {
    return (await source.administered({ signal })).map(({ login }) => login);
  } catch (error) {
    // An app that may not read members can show this of nobody's organization; the person's own account is certain.
    if (!isGitHostError(error, 'forbidden', 'not_found')) throw error;
    return (await source.accounts({ signal })).slice(0, 1).map(({ login }) => login);
  }
}

type NewAccount = Pick<GithostConnectionTable, 'organizationId' | 'kind' | 'login' | 'connectedBy'>;

/** In place of the one that there was of that kind. */
export async function keepAccount(
  trx: Trx,
  sealer: Sealer,
  account: NewAccount,
  tokens: OAuthTokens | null,
): Promise<void> {
  const [id, now] = [newId('ghc'), Date.now()];
  await deleteConnections(trx, account.organizationId, [account.kind]);
  await insertConnection(trx, {
    id,
    ...account,
    tokens: tokens && sealTokens(sealer, id, tokens),
    createdAt: now,
    updatedAt: now,
  });
}
