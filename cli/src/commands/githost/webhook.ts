import { type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { repositoryIn } from '../../githost/repository.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, plainText, shortTime } from '../../output.ts';

type Delivery = Schemas['Delivery'];

const columns: Column<Delivery>[] = [
  { heading: 'ID', value: ({ id }) => id },
  { heading: 'RECEIVED', value: ({ receivedAt }) => shortTime(receivedAt) },
  { heading: 'EVENT', value: ({ event }) => event },
  { heading: 'REPOSITORY', value: ({ repository }) => repository ?? '-' },
  { heading: 'COMMIT', value: ({ commitSha }) => commitSha?.slice(0, 8) ?? '-' },
  { heading: 'STATUS', value: ({ status }) => status },
  { heading: 'RESULT', value: (delivery) => resultOf(delivery) },
];

function resultOf({ why, projects }: Delivery): string {
  return projects.map((project) => project.deploymentId ?? project.why ?? '').join(', ') || (why ?? '');
}

const add = defineCommand({
  name: 'webhook add',
  parameters: ['<owner/repo>'],
  summary: 'Register the push webhook of a repository',
  description: 'The git host must be able to reach MOORING_PUBLIC_URL. Registering it twice changes nothing.',
  async run({ args: [named = ''], out, instance }) {
    const path = repositoryIn(named);
    const request = signedInClient(instance()).POST('/api/githost/repos/{owner}/{repo}/webhooks', { params: { path } });
    const { data } = await unwrap(request);
    out.print(data, () => `Pushes to ${plainText(named)} are sent to ${plainText(data.url)}`);
  },
});

const deliveries = defineCommand({
  name: 'webhook deliveries',
  summary: 'List webhook deliveries with their results, newest first',
  async run({ out, instance }) {
    const { data } = await unwrap(signedInClient(instance()).GET('/api/githost/deliveries'));
    out.list(data, columns);
  },
});

const replay = defineCommand({
  name: 'webhook replay',
  parameters: ['<delivery>'],
  summary: 'Handle a webhook delivery again',
  description: 'A commit that was deployed is not deployed again. See the result: mooring webhook deliveries',
  async run({ args: [id = ''], out, instance }) {
    const request = signedInClient(instance()).POST('/api/githost/deliveries/{id}/replay', {
      params: { path: { id } },
    });
    await unwrap(request);
    out.print({ id, replayed: true }, () => `${plainText(id)} is handled again.`);
  },
});

export const webhookCommands = [add, deliveries, replay];
