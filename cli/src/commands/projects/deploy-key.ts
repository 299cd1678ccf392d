import { ApiError, type Client, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { findProject } from '../../deployments/find.ts';
import { signedInClient } from '../../instance.ts';

export const deployKey = defineCommand({
  name: 'deploy-key',
  summary: 'Show the deploy key of a project, and create it if there is none',
  description: 'Add the printed line to the repository as a read-only deploy key.',
  parameters: ['<project>'],
  options: { renew: { type: 'boolean', help: 'create a new key; the previous one is no longer used' } },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findProject(client, named);
    const key = (values.renew ? undefined : await existing(client, id)) ?? (await made(client, id));
    out.print(key, () => key.publicKey);
  },
});

const params = (id: string) => ({ params: { path: { id } } });

async function existing(client: Client, id: string) {
  try {
    return (await unwrap(client.GET('/api/projects/{id}/deploy-key', params(id)))).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

const made = async (client: Client, id: string) =>
  (await unwrap(client.POST('/api/projects/{id}/deploy-key', params(id)))).data;
