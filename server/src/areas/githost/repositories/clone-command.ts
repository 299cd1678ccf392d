import type { CloneCredential } from '../../../drivers/githost/githost.ts';
import { shellCommandLine } from '../../../drivers/ssh/shell-quote.ts';

/**
 * Returns the shell command to clone. The token is passed as a header of this one command, so git stores it nowhere
 * and sends it to the git host only. All arguments are quoted.
 */
export function cloneCommand({
  url,
  username,
  password,
}: Pick<CloneCredential, 'url' | 'username' | 'password'>): string {
  const proof = Buffer.from(`${username}:${password}`).toString('base64');
  const header = `http.${new URL(url).origin}/.extraHeader=Authorization: Basic ${proof}`;
  return shellCommandLine(['git', '-c', header, 'clone', '--', url]);
}
