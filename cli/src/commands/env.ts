import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../command.ts';
import { findProject, type Project } from '../deployments/find.ts';
import { Failure, UsageError } from '../errors.ts';
import { signedInClient } from '../instance.ts';
import { type Column, shortTime } from '../output.ts';
import { secretFromStdin } from '../prompt.ts';

type Variable = Schemas['Variable'];

const columns: Column<Variable>[] = [
  { heading: 'KEY', value: ({ key }) => key },
  { heading: 'VALUE', value: ({ value }) => value ?? '(secret)' },
  { heading: 'BUILD TIME', value: ({ buildTime }) => (buildTime ? 'yes' : '') },
  { heading: 'CHANGED', value: ({ updatedAt }) => shortTime(updatedAt) },
];

const list = defineCommand({
  name: 'env list',
  parameters: ['<project>'],
  summary: 'List the variables of a project; secret values are never shown',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    out.list(await variablesOf(client, await findProject(client, named)), columns);
  },
});

const set = defineCommand({
  name: 'env set',
  parameters: ['<project>', '<key>'],
  summary: 'Set a variable of a project; its value is asked for, or read from standard input',
  description: [
    'It counts from the next deployment on. A value that others may see can stand on the command line:',
    'mooring env set my-app LOG_LEVEL=debug --plain',
  ].join('\n'),
  options: {
    plain: { type: 'boolean', help: 'not a secret: the value is shown to whoever sees the project' },
    'build-time': { type: 'boolean', help: 'there while the project is built, and not when it runs' },
  },
  async run({ args: [named = '', text = ''], values, out, instance }) {
    const [key, given] = keyAndValue(text);
    const isPlain = values.plain ?? false;
    // A command line is seen by every program of the machine, and kept by the shell.
    if (given !== undefined && !isPlain)
      throw new UsageError(`values on a command line are no secrets; give ${key} on standard input, or --plain`);
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const value = given ?? (await secretFromStdin(`Value of ${key}`));
    const change = { value, secret: !isPlain, ...(values['build-time'] && { buildTime: true }) };
    const variable = (await changed(client, project, key, change)).find((each) => each.key === key);
    out.print(variable, () => `${key} is set; it counts from the next deployment of ${project.name} on.`);
  },
});

const unset = defineCommand({
  name: 'env unset',
  parameters: ['<project>', '<key>'],
  summary: 'Remove a variable of a project',
  async run({ args: [named = '', key = ''], out, instance }) {
    const client = signedInClient(instance());
    const project = await findProject(client, named);
    const keys = (await variablesOf(client, project)).map((variable) => variable.key);
    if (!keys.includes(key))
      throw new Failure(`${project.name} has no variable ${key}${keys.length ? `; it has ${keys.join(', ')}` : ''}`);
    await changed(client, project, key, null);
    out.print({ key, removed: true }, () => `${key} is removed; it is gone from the next deployment on.`);
  },
});

function keyAndValue(text: string): [key: string, value: string | undefined] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}

async function variablesOf(client: Client, { id }: Project): Promise<Variable[]> {
  const { data } = await unwrap(client.GET('/api/projects/{id}/variables', { params: { path: { id } } }));
  return data;
}

type Change = { value: string; secret: boolean; buildTime?: boolean } | null;

async function changed(client: Client, { id }: Project, key: string, change: Change): Promise<Variable[]> {
  const body = { variables: { [key]: change } };
  const { data } = await unwrap(client.PATCH('/api/projects/{id}/variables', { params: { path: { id } }, body }));
  return data;
}

export const envCommands = [list, set, unset];
