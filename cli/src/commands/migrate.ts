import { ApiError, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { Failure } from '../errors.ts';
import { signedInClient } from '../instance.ts';
import { hint, tell, word } from '../migration/on-project.ts';
import { stackText } from '../migration/show.ts';
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
    if (stack.adoptable) hint(out, 'Make a project of them with', `adopt ${word(name)} <project> <service...>`);
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
    const { success: _, ...adopted } = await unwrap(client.POST('/api/migration/adopt', { body })).catch(withOption);
    const { project, adopted: names } = adopted;
    tell(out, adopted, `${project.name} is created as ${project.id}, of ${names.join(', ')}.`);
    hint(out, 'Nothing has changed on the server. See how it would take over with', `plan ${word(project.name)}`);
  },
});

/** What the service asks for has another name here. */
function withOption(error: unknown): never {
  if (error instanceof ApiError && error.code === 'not_trusted')
    throw new Failure(`${error.message}. On the command line that is --trusted`);
  throw error;
}

export const migrateCommands = [scan, adopt];
