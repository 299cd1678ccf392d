import { unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { findProject } from '../../deployments/find.ts';
import { repositoryIn } from '../../githost/repository.ts';
import { signedInClient } from '../../instance.ts';
import { plainText } from '../../output.ts';

const link = defineCommand({
  name: 'link',
  summary: 'Link a project to a repository, so that pushes are deployed',
  description: [
    'Existing commits are not deployed; for that: mooring deploy --git --project <project>.',
    'A webhook reports pushes, or Mooring polls the branch.',
  ].join('\n'),
  parameters: ['<project>', '<owner/repo>'],
  options: {
    branch: { type: 'string', value: '<branch>', help: 'branch; default: the default branch of the repository' },
  },
  async run({ args: [named = '', repository = ''], values, out, instance }) {
    const { owner, repo } = repositoryIn(repository);
    const client = signedInClient(instance());
    const { id, name } = await findProject(client, named);
    const body = { owner, repo, ...(values.branch && { branch: values.branch }) };
    const { data } = await unwrap(client.POST('/api/projects/{id}/link', { params: { path: { id } }, body }));
    const branch = plainText(data.branch ?? 'the default branch');
    const way = data.announced ? 'a webhook reports pushes' : 'Mooring polls it for pushes';
    out.print(
      data,
      () => `${plainText(name)} follows ${branch} of ${plainText(`${data.owner}/${data.repo}`)}; ${way}.`,
    );
  },
});

const unlink = defineCommand({
  name: 'unlink',
  summary: 'Unlink a project from its repository; the active release keeps running',
  parameters: ['<project>'],
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findProject(client, named);
    await unwrap(client.DELETE('/api/projects/{id}/link', { params: { path: { id } } }));
    out.print({ id, linked: false }, () => `${plainText(name)} is unlinked.`);
  },
});

export const linkCommands = [link, unlink];
