import { unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { findProject } from '../deployments/find.ts';
import { UsageError } from '../errors.ts';
import { signedInClient } from '../instance.ts';
import { plain } from '../output.ts';

const link = defineCommand({
  name: 'link',
  summary: 'Have a project follow a repository of the git host: what is pushed is deployed',
  description: [
    'What is on the branch already is not deployed; for that: mooring deploy --git --project <project>.',
    'Pushes are announced by a webhook, or found by looking at the branch every minute.',
  ].join('\n'),
  parameters: ['<project>', '<owner/repo>'],
  options: { branch: { type: 'string', value: '<branch>', help: 'the default branch, unless given' } },
  async run({ args: [named = '', repository = ''], values, out, instance }) {
    const [owner = '', repo = '', ...rest] = repository.split('/');
    if (!owner || !repo || rest.length) throw new UsageError('name the repository as owner/repo');
    const client = signedInClient(instance());
    const { id, name } = await findProject(client, named);
    const body = { owner, repo, ...(values.branch && { branch: values.branch }) };
    const { data } = await unwrap(client.POST('/api/projects/{id}/link', { params: { path: { id } }, body }));
    const branch = plain(data.branch ?? 'the default branch');
    const way = data.announced ? 'a webhook announces pushes' : 'it is looked at every minute';
    out.print(data, () => `${plain(name)} follows ${branch} of ${plain(`${data.owner}/${data.repo}`)}; ${way}.`);
  },
});

const unlink = defineCommand({
  name: 'unlink',
  summary: 'Have a project follow no repository any more; what runs goes on',
  parameters: ['<project>'],
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findProject(client, named);
    await unwrap(client.DELETE('/api/projects/{id}/link', { params: { path: { id } } }));
    out.print({ id, linked: false }, () => `${plain(name)} follows no repository any more.`);
  },
});

export const linkCommands = [link, unlink];
