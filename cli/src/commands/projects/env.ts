import { readFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { type Client, readEnvFile, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { applyNow, applyOption, noteTakesEffectLater } from '../../deployments/apply.ts';
import { findProject, type Project } from '../../deployments/find.ts';
import { Failure, UsageError } from '../../errors.ts';
import { projectHere } from '../../folder/project-of-folder.ts';
import { type Instance, signedInClient } from '../../instance.ts';
import { type Column, type Output, shortTime } from '../../output.ts';
import { secretFromStdin } from '../../prompt.ts';

type Variable = Schemas['Variable'];

const columns: Column<Variable>[] = [
  { heading: 'KEY', value: ({ key }) => key },
  { heading: 'VALUE', value: ({ value }) => value ?? '(secret)' },
  { heading: 'BUILD TIME', value: ({ buildTime }) => (buildTime ? 'yes' : '') },
  { heading: 'CHANGED', value: ({ updatedAt }) => shortTime(updatedAt) },
];

const list = defineCommand({
  name: 'env list',
  parameters: ['[project]'],
  summary: 'List the variables of a project; secret values are never shown',
  description: 'Default: the project of this folder.',
  async run({ args: [named], out, instance }) {
    const client = signedInClient(instance());
    out.list(await variablesOf(client, await projectHere(client, named)), columns);
  },
});

const settingOptions = {
  plain: { type: 'boolean', help: 'not secret: members of the project can read the value' },
  'build-time': { type: 'boolean', help: 'also available during builds; changing it requires a build' },
  apply: applyOption,
} as const;

const set = defineCommand({
  name: 'env set',
  parameters: ['<project>', '<key>'],
  summary: 'Set a variable of a project; prompts for the value or reads standard input',
  description: [
    'Takes effect with the next deployment, or immediately with --apply. Values that are not secret can be given on the',
    'command line: mooring env set my-app LOG_LEVEL=debug --plain',
  ].join('\n'),
  options: settingOptions,
  async run({ args: [named = '', text = ''], values, out, instance }) {
    const [key, given] = keyAndValue(text);
    const isPlain = values.plain ?? false;
    // Command lines are visible to other processes and stored in the shell history.
    if (given !== undefined && !isPlain)
      throw new UsageError(
        `values on the command line are visible to other users; pass ${key} on standard input, or use --plain`,
      );
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const value = given ?? (await secretFromStdin(`Value of ${key}`));
    const change = { value, secret: !isPlain, ...(values['build-time'] && { buildTime: true }) };
    const variable = (await changed(client, project, { [key]: change })).find((each) => each.key === key);
    await settle(here, project, { answer: variable, sentence: `${key} is set.`, apply: values.apply }, out);
  },
});

const importFile = defineCommand({
  name: 'env import',
  parameters: ['<project>', '<file>'],
  summary: 'Set the variables of a .env file; - reads standard input',
  description: [
    'Takes effect with the next deployment, or immediately with --apply. Variables that the file does not name stay as',
    'they are, and so do those that are empty in the file. The values are secret, unless you give --plain.',
  ].join('\n'),
  options: settingOptions,
  async run({ args: [named = '', file = ''], values, out, instance }) {
    const { entries, skipped } = readEnvFile(await contentOf(file));
    const filled = entries.filter(({ value }) => value !== '');
    const empty = entries.filter(({ value }) => value === '').map(({ key }) => key);
    if (skipped.length) throw new Failure(`${file}: not a variable in line ${skipped.join(', ')}; nothing was set`);
    if (!filled.length)
      throw new Failure(`${file} sets no variable${empty.length ? `; empty: ${empty.join(', ')}` : ''}`);
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const how = { secret: !values.plain, ...(values['build-time'] && { buildTime: true }) };
    const changes = Object.fromEntries(filled.map(({ key, value }) => [key, { value, ...how }]));
    const answer = (await changed(client, project, changes)).filter(({ key }) => Object.hasOwn(changes, key));
    const keys = Object.keys(changes);
    if (empty.length) out.note(`Left as they are, because they are empty in the file: ${empty.join(', ')}`);
    const sentence = keys.length === 1 ? `${keys[0]} is set.` : `${keys.length} variables are set: ${keys.join(', ')}.`;
    await settle(here, project, { answer, sentence, apply: values.apply }, out);
  },
});

async function contentOf(file: string): Promise<string> {
  if (file === '-') return textOf(process.stdin);
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new Failure(`${file} cannot be read: ${error.message}`);
  });
}

const unset = defineCommand({
  name: 'env unset',
  parameters: ['<project>', '<key>'],
  summary: 'Remove a variable of a project',
  options: { apply: applyOption },
  async run({ args: [named = '', key = ''], values, out, instance }) {
    const here = instance();
    const client = signedInClient(here);
    const project = await findProject(client, named);
    const keys = (await variablesOf(client, project)).map((variable) => variable.key);
    if (!keys.includes(key))
      throw new Failure(`${project.name} has no variable ${key}${keys.length ? `; it has ${keys.join(', ')}` : ''}`);
    await changed(client, project, { [key]: null });
    const sentence = `${key} is removed.`;
    await settle(here, project, { answer: { key, removed: true }, sentence, apply: values.apply }, out);
  },
});

type Changed = { answer: unknown; sentence: string; apply: boolean | undefined };

/** With `--apply` the result is the deployment, otherwise the change. */
async function settle(
  instance: Instance,
  project: Project,
  { answer, sentence, apply }: Changed,
  out: Output,
): Promise<void> {
  if (apply) {
    out.note(sentence);
    return applyNow(instance, project, out);
  }
  out.print(answer, () => sentence);
  await noteTakesEffectLater(signedInClient(instance), project, out);
}

function keyAndValue(text: string): [key: string, value: string | undefined] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, undefined] : [text.slice(0, equals), text.slice(equals + 1)];
}

async function variablesOf(client: Client, { id }: Project): Promise<Variable[]> {
  const { data } = await unwrap(client.GET('/api/projects/{id}/variables', { params: { path: { id } } }));
  return data;
}

type Change = { value: string; secret: boolean; buildTime?: boolean } | null;

async function changed(client: Client, { id }: Project, variables: Record<string, Change>): Promise<Variable[]> {
  const body = { variables };
  const { data } = await unwrap(client.PATCH('/api/projects/{id}/variables', { params: { path: { id } }, body }));
  return data;
}

export const envCommands = [list, set, importFile, unset];
