import { unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { signedInClient } from '../../instance.ts';
import { suggestCommand, printWithWarnings, nameOptionInError } from '../../migration/adopted-project-command.ts';
import { stackText } from '../../migration/show.ts';
import { findServer } from '../../servers/find.ts';
import { shellWord } from '../../format.ts';

const scan = defineCommand({
  name: 'migrate scan',
  parameters: ['<server>'],
  summary: 'Scan a server for containers that can be adopted',
  description: 'Inspects Docker and compose files. Changes nothing on the server.',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findServer(client, named);
    const { stack } = await unwrap(client.POST('/api/migration/scan', { body: { serverId: id } }));
    out.print(stack, () => stackText(stack));
    if (stack.adoptable) suggestCommand(out, 'Adopt them', `adopt ${shellWord(name)} <project> <group or service...>`);
  },
});

const adopt = defineCommand({
  name: 'migrate adopt',
  parameters: ['<server>', '<project>', '<group or service...>'],
  summary: 'Adopt services that run on a server as a project',
  description: [
    'Use the names from `mooring migrate scan`: group/service, or the service name alone if it is unique. The name of a',
    'group stands for all of its services that can be adopted, unless a service has the same name.',
    'Volumes are used in place. Nothing is deployed, and nothing changes on the server.',
  ].join('\n'),
  options: {
    trusted: { type: 'boolean', help: 'also adopt services with access to the machine; only for the instance owner' },
  },
  async run({ args: [named = '', projectName = '', ...serviceNames], values, out, instance }) {
    const client = signedInClient(instance());
    const { id } = await findServer(client, named);
    const body = { serverId: id, projectName, serviceNames, ...(values.trusted && { trusted: true }) };
    const { success: _, ...adopted } = await unwrap(client.POST('/api/migration/adopt', { body })).catch(
      nameOptionInError,
    );
    const { project, adopted: names } = adopted;
    printWithWarnings(out, adopted, `${project.name} is created as ${project.id} with ${names.join(', ')}.`);
    suggestCommand(out, 'Nothing has changed on the server. Plan the cut-over', `plan ${shellWord(project.name)}`);
  },
});

export const migrateCommands = [scan, adopt];
