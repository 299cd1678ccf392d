import type { Trx } from '../../../db/database.ts';
import type { GithostConnectionTable } from '../../../db/tables.ts';
import { GitHostError, isGitHostError } from '../../../drivers/githost/errors.ts';
import type { GitHub } from '../../../drivers/githost/github/github.ts';
import type { OAuthTokens } from '../../../drivers/githost/github/oauth-answers.ts';
import type { OAuthSource, TokenVault } from '../../../drivers/githost/github/oauth-source.ts';
import { isSameName } from '../../../drivers/githost/github/path.ts';
import type { GitHubInstallation } from '../../../drivers/githost/github/shapes.ts';
import { newId } from '../../../lib/ids.ts';
import type { Sealer } from '../../../lib/seal.ts';
import { deleteConnections, insertConnection } from './store.ts';
import { sealTokens } from './vault.ts';

/** An account that has just signed in and is not stored yet. */
export interface SignedInAccount {
  login: string;
  source: OAuthSource;
  tokens: () => OAuthTokens;
}

export async function whoSignedIn(gitHost: GitHub, tokens: OAuthTokens, signal: AbortSignal): Promise<SignedInAccount> {
  const source = gitHost.oauthSource(unstoredTokens(tokens))!;
  const state = await source.state({ signal });
  if (state.isUsable) return { login: state.login, source, tokens: () => tokens };
  throw new GitHostError(state.reason === 'signed_out' ? 'unauthorized' : 'unavailable', state.message);
}

/** Vault for unstored tokens. They are new, so they never need a refresh. */
export const unstoredTokens = (tokens: OAuthTokens): TokenVault => ({
  read: () => Promise.resolve(tokens),
  write: () => Promise.reject(new GitHostError('unavailable', 'the git host returned expired tokens')),
});

/**
 * Returns the installations on accounts that the user administers. A user who only sees one repository also sees its
 * installation, but must not gain access to the other repositories.
 */
export async function provenInstallations(
  { source }: Pick<SignedInAccount, 'source'>,
  signal: AbortSignal,
): Promise<GitHubInstallation[]> {
  try {
    const [seen, own] = await Promise.all([source.installations({ signal }), decidedBy(source, signal)]);
    return seen.filter(({ account }) => account && own.some((login) => isSameName(login, account.login)));
  } catch (error) {
    // The OAuth client is not the app's own, so it cannot list installations.
    if (isGitHostError(error, 'forbidden', 'not_found', 'invalid')) return [];
    throw error;
  }
}

async function decidedBy(source: OAuthSource, signal: AbortSignal): Promise<string[]> {
  try {
    return (await source.administered({ signal })).map(({ login }) => login);
  } catch (error) {
    // Without permission to read members, only the user's own account is certain.
    if (!isGitHostError(error, 'forbidden', 'not_found')) throw error;
    return (await source.accounts({ signal })).slice(0, 1).map(({ login }) => login);
  }
}

type NewAccount = Pick<GithostConnectionTable, 'organizationId' | 'kind' | 'login' | 'connectedBy'>;

/** Stores an account in place of the previous one of that kind. */
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
