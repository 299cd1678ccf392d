import { randomUUID } from 'node:crypto';
import { signatureOf } from '../../src/drivers/githost/github/webhooks/signature.ts';
import type { GitHostRig } from './githost.ts';
import { userTokens } from './githost-seed.ts';

/** A push as in the host's webhook. */
export type Announced = {
  repository: { id: number; name: string; owner: { login: string } };
  before: string;
  after: string;
  branch?: string;
  files?: string[];
  more?: object;
};

export const noCommit = '0'.repeat(40);

export const pushBody = ({ repository, before, after, branch = 'main', files = ['index.html'], more }: Announced) =>
  Buffer.from(
    JSON.stringify({
      ref: `refs/heads/${branch}`,
      before,
      after,
      created: before === noCommit,
      deleted: after === noCommit,
      forced: false,
      repository: { ...repository, pushed_at: Date.now() },
      head_commit: { message: `commit ${after.slice(0, 7)}` },
      pusher: { name: 'octo' },
      commits: [{ id: after, added: [], removed: [], modified: files }],
      ...more,
    }),
  );

/** The headers of a signed delivery. */
export const signedBy = (secret: string, body: Buffer, more: Record<string, string> = {}): Record<string, string> => ({
  'content-type': 'application/json',
  'x-github-event': 'push',
  'x-github-delivery': randomUUID(),
  'x-hub-signature-256': signatureOf(body, secret),
  ...more,
});

/** A repository as in webhook payloads. */
export async function announcedRepository({ apiUrl }: GitHostRig, fullName: string) {
  const [owner = '', name = ''] = fullName.split('/');
  const [token] = Object.entries(userTokens).find(([, login]) => (login === 'rita') === (owner === 'rivals'))!;
  const answer = await fetch(`${apiUrl}/repos/${fullName}`, { headers: { authorization: `Bearer ${token}` } });
  return { id: ((await answer.json()) as { id: number }).id, name, owner: { login: owner } };
}
