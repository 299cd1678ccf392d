import type { CloneCredential } from '../../../drivers/githost/githost.ts';
import { quotedLine } from '../../../drivers/ssh/quote.ts';

/** What a person pastes into a terminal. The token is a header of this one command: git keeps it in no file of the clone. Only
 * the git host is sent it, and nothing in the names can become a word or an option of its own. */
export function cloneCommand({
  url,
  username,
  password,
}: Pick<CloneCredential, 'url' | 'username' | 'password'>): string {
  const proof = Buffer.from(`${username}:${password}`).toString('base64');
  const header = `http.${new URL(url).origin}/.extraHeader=Authorization: Basic ${proof}`;
  return quotedLine(['git', '-c', header, 'clone', '--', url]);
}
