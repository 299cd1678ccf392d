import { unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { signedInClient } from '../instance.ts';
import { stackText } from '../migration/show.ts';
import { plain } from '../output.ts';
import { findServer } from '../servers/find.ts';

const scan = defineCommand({
  name: 'migrate scan',
  parameters: ['<server>'],
  summary: 'Show what runs on a server already, and what of it can be taken over',
  description: 'Looks at its container engine and at compose files. Nothing on the server changes.',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findServer(client, named);
    const { stack } = await unwrap(client.POST('/api/migration/scan', { body: { serverId: id } }));
    out.print(stack, () => stackText(stack));
    if (stack.adoptable)
      out.note(`Make a project of them with: mooring migrate adopt ${plain(name)} <project> <service...>`);
  },
});

const adopt = defineCommand({
  name: 'migrate adopt',
  parameters: ['<server>', '<project>', '<service...>'],
  summary: 'Make a project of services that run on a server',
  description: [
    'Services are named as `mooring migrate scan` shows them: group/service, or the service where only one has that name.',
    'Volumes are used where they are. Nothing is deployed, and nothing on the server changes.',
  ].join('\n'),
  options: {
    trusted: { type: 'boolean', help: 'also what reaches the machine; only for the owner of the instance' },
  },
  async run({ args: [named = '', projectName = '', ...serviceNames], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findServer(client, named);
    const body = { serverId: id, projectName, serviceNames, ...(values.trusted && { trusted: true }) };
    const adopted = await unwrap(client.POST('/api/migration/adopt', { body }));
    const { success: _, ...answer } = adopted;
    const { project, adopted: names, warnings } = answer;
    out.print(answer, () => plain(`${project.name} is created as ${project.id}, of ${names.join(', ')}.`));
    for (const warning of warnings) out.note(plain(warning));
  },
});

export const migrateCommands = [scan, adopt];
