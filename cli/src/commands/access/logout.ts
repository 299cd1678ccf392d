import { defineCommand } from '../../command.ts';
import { forgetLogin, type Login, readLogin } from '../../login-file.ts';
import { Failure } from '../../errors.ts';
import { revokeTokenOf } from '../../revocation.ts';

export const logout = defineCommand({
  name: 'logout',
  summary: 'Log out and revoke the token of the login',
  async run({ out }) {
    const login = readLogin();
    if (!login) throw new Failure('you are not logged in');
    const revoked = await revokeOrSay(login);
    forgetLogin();
    out.print({ url: login.url, tokenId: login.tokenId, revoked }, () => whatWasDone(login, revoked));
    if (process.env.MOORING_TOKEN) out.note('MOORING_TOKEN is still set.');
  },
});

/** The stored login is removed in any case, even if the token cannot be revoked. */
async function revokeOrSay(login: Login): Promise<boolean> {
  try {
    return await revokeTokenOf(login);
  } catch (error) {
    forgetLogin();
    const { message } = error as Error;
    throw new Failure(`you are logged out, but the token ${login.tokenId} is still valid: ${message}`);
  }
}

function whatWasDone({ url, tokenId }: Login, revoked: boolean): string {
  if (revoked) return `Logged out of ${url}; the token ${tokenId} is revoked.`;
  if (tokenId) return `Logged out of ${url}; the token ${tokenId} had already expired.`;
  return `Logged out of ${url}. The token was not created by mooring login and stays valid.`;
}
