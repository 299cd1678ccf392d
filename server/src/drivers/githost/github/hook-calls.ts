import { GitHostError, isGitHostError } from '../errors.ts';
import type { Hook, HookTarget, RepositoryName } from '../githost.ts';
import type { GitHubCall } from './call.ts';
import type { GitHubClient } from './client.ts';
import { allPages } from './pages.ts';
import { apiPath } from './path.ts';
import { hookShape } from './shapes.ts';

type With = Pick<GitHubCall, 'credential' | 'signal'>;

const events = ['push'];

const hooksPath = ({ owner, name }: RepositoryName) => apiPath`/repos/${owner}/${name}/hooks`;
const hookPath = ({ owner, name }: RepositoryName, id: number) => apiPath`/repos/${owner}/${name}/hooks/${id}`;

export const listHooks = (client: GitHubClient, name: RepositoryName, by: With): Promise<Hook[]> =>
  allPages(client, { path: hooksPath(name), ...by }, hookShape);

/** Creates a webhook, or updates the events and the secret of the one with the same address. */
export async function registerHook(
  client: GitHubClient,
  name: RepositoryName,
  { url, secret }: HookTarget,
  by: With,
): Promise<{ hook: Hook; isNew: boolean }> {
  // Without a secret, anyone could forge deliveries.
  if (secret.length < 16) throw new GitHostError('invalid', 'a webhook needs a secret of at least 16 characters');
  const body = { active: true, events, config: { url, secret, content_type: 'json', insecure_ssl: '0' } };
  const reuse = async () => {
    const known = (await listHooks(client, name, by)).find((each) => each.url === url);
    return known && client.json({ method: 'PATCH', path: hookPath(name, known.id), body, ...by }, hookShape);
  };
  const known = await reuse();
  if (known) return { hook: known, isNew: false };
  try {
    const path = hooksPath(name);
    return {
      hook: await client.json({ method: 'POST', path, body: { name: 'web', ...body }, ...by }, hookShape),
      isNew: true,
    };
  } catch (error) {
    // A concurrent call registered it first.
    const other = isGitHostError(error, 'conflict') ? await reuse() : undefined;
    if (!other) throw error;
    return { hook: other, isNew: false };
  }
}

export async function deleteHook(client: GitHubClient, name: RepositoryName, id: number, by: With): Promise<void> {
  await client.call({ method: 'DELETE', path: hookPath(name, id), ...by });
}
