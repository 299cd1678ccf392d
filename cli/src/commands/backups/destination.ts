import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Client, type Schemas, unwrap } from '@mooring/client';
import { allDestinations, type Destination, findDestination } from '../../backups/find.ts';
import { defineCommand } from '../../command.ts';
import { Failure, UsageError } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, shortTime } from '../../output.ts';
import { promptText, askSecret, isInteractive } from '../../prompt.ts';

type Kind = Schemas['BackupDestinationKind'];
type Field = Kind['fields'][number];
type Given = Record<string, string | null>;

const columns: Column<Destination>[] = [
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'KIND', value: ({ kind }) => kind },
  { heading: 'DEFAULT', value: ({ isDefault }) => (isDefault ? 'yes' : '') },
  { heading: 'VERIFIED', value: ({ lastVerifiedAt }) => shortTime(lastVerifiedAt, 'never') },
  { heading: 'TROUBLE', value: ({ lastVerifyError }) => lastVerifyError ?? '' },
  { heading: 'ID', value: ({ id }) => id },
];

const fieldOptions = {
  set: {
    type: 'string',
    multiple: true,
    value: '<field>=<value>',
    help: 'a field that is not secret, such as bucket=backups; repeatable',
  },
  'secret-file': {
    type: 'string',
    multiple: true,
    value: '<field>=<path>',
    help: 'a secret from a file, or from standard input (-); repeatable',
  },
  prefix: { type: 'string', value: '<path>', help: 'prefix of all object names' },
  default: { type: 'boolean', help: 'use as the default destination' },
} as const;

const list = defineCommand({
  name: 'destination list',
  summary: 'List backup destinations',
  async run({ out, instance }) {
    out.list(await allDestinations(signedInClient(instance())), columns);
  },
});

const add = defineCommand({
  name: 'destination add',
  parameters: ['<name>'],
  summary: 'Add a backup destination; asks for the fields it needs',
  description: 'mooring destination add nightly --kind s3_compatible --set bucket=backups --set region=eu-central-1',
  options: { kind: { type: 'string', value: '<kind>', help: 's3_compatible, sftp, ...' }, ...fieldOptions },
  async run({ args: [name = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const kind = await chooseKind(client, values.kind);
    const fields = await withSecrets(kind, assignments(kind, values.set ?? []), values['secret-file'] ?? []);
    await askMissing(kind, fields);
    const { prefix: pathPrefix, default: isDefault } = values;
    const body = {
      name,
      kind: kind.kind,
      ...fields,
      ...(pathPrefix && { pathPrefix }),
      ...(isDefault && { isDefault }),
    };
    const { data } = await unwrap(client.POST('/api/backup-destinations', { body }));
    out.print(data, () => `${data.name} is added. Test it with: mooring destination test ${data.name}`);
  },
});

const test = defineCommand({
  name: 'destination test',
  parameters: ['<destination>'],
  summary: 'Test a backup destination by writing, reading and deleting an object',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findDestination(client, named);
    const found = await unwrap(client.POST('/api/backup-destinations/{id}/preflight', { params: { path: { id } } }));
    if (!found.ok && !out.json) throw new Failure(`${name}: ${found.reason ?? 'it does not work'}`);
    out.print(found, () => `${name} works: an object was written, read back and deleted.`);
    if (!found.ok) process.exitCode = 1;
  },
});

const update = defineCommand({
  name: 'destination update',
  parameters: ['<destination>'],
  summary: 'Change a backup destination; other fields keep their values',
  description: 'A new address or user needs the credentials again: --secret-file sftpPassword=<path>',
  options: {
    ...fieldOptions,
    name: { type: 'string', value: '<name>', help: 'another name' },
    clear: { type: 'string', multiple: true, value: '<field>', help: 'clear a field; repeatable' },
    'not-default': { type: 'boolean', help: 'no longer the default' },
  },
  async run({ args: [named = ''], values, out, instance }) {
    const client = signedInClient(instance());
    const { id, kind: kindName } = await findDestination(client, named);
    const kind = await chooseKind(client, kindName);
    const fields = await withSecrets(kind, assignments(kind, values.set ?? []), values['secret-file'] ?? []);
    for (const field of values.clear ?? []) fields[fieldOf(kind, field).name] = null;
    const isDefault = values.default ? true : values['not-default'] ? false : undefined;
    const { name, prefix: pathPrefix } = values;
    const body = {
      ...fields,
      ...(name && { name }),
      ...(pathPrefix !== undefined && { pathPrefix }),
      ...(isDefault !== undefined && { isDefault }),
    };
    if (!Object.keys(body).length) throw new UsageError('nothing to change; see mooring destination update --help');
    const params = { path: { id } };
    const { data } = await unwrap(client.PATCH('/api/backup-destinations/{id}', { params, body }));
    out.print(data, () => `${data.name} is changed.`);
  },
});

const remove = defineCommand({
  name: 'destination remove',
  parameters: ['<destination>'],
  summary: 'Remove a backup destination; objects stored there are kept',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findDestination(client, named);
    await unwrap(client.DELETE('/api/backup-destinations/{id}', { params: { path: { id } } }));
    out.print({ id, removed: true }, () => `${name} is removed. Objects stored there are kept.`);
  },
});

async function chooseKind(client: Client, wanted: string | undefined): Promise<Kind> {
  const { data } = await unwrap(client.GET('/api/backup-destinations/kinds'));
  const names = data.map(({ kind }) => kind).join(', ');
  const name = wanted ?? (isInteractive() ? await promptText(`Kind (${names})`) : undefined);
  if (name === undefined) throw new UsageError(`--kind is missing; there are ${names}`);
  const found = data.find(({ kind }) => kind === name);
  if (!found) throw new UsageError(`there is no kind ${name}; there are ${names}`);
  return found;
}

function fieldOf({ kind, fields }: Kind, name: string): Field {
  const field = fields.find((each) => each.name === name);
  if (field) return field;
  throw new UsageError(`${kind} has no field ${name}; it has ${fields.map((each) => each.name).join(', ')}`);
}

function assignments(kind: Kind, given: string[]): Given {
  return Object.fromEntries(
    given.map((each) => {
      const [name, value] = parted(each);
      // Command lines are visible to other processes and stored in the shell history.
      if (fieldOf(kind, name).secret)
        throw new UsageError(`${name} is a secret; leave it out to be prompted, or use --secret-file`);
      return [name, value];
    }),
  );
}

async function withSecrets(kind: Kind, fields: Given, given: string[]): Promise<Given> {
  const found: Given = { ...fields };
  for (const each of given) {
    const [name, path] = parted(each);
    const { type } = fieldOf(kind, name);
    const content = path === '-' ? await text(process.stdin) : await readFile(path, 'utf8');
    found[name] = type === 'multiline' ? content : content.replace(/\r?\n$/, '');
  }
  return found;
}

function parted(assignment: string): [name: string, value: string] {
  const equals = assignment.indexOf('=');
  if (equals < 1) throw new UsageError(`${assignment} is not of the form field=value`);
  return [assignment.slice(0, equals), assignment.slice(equals + 1)];
}

/** Prompts for required fields. Without a terminal, the server reports the missing ones. */
async function askMissing({ fields, oneOf }: Kind, given: Given): Promise<void> {
  if (!isInteractive()) return;
  const choices = oneOf.filter((group) => group.every((name) => given[name] === undefined)).map((group) => group[0]);
  for (const { name, label, secret, required, type } of fields) {
    if (given[name] !== undefined || !(required || choices.includes(name))) continue;
    if (type === 'multiline') throw new UsageError(`give ${name} with --secret-file ${name}=<path>`);
    given[name] = secret ? await askSecret(label) : await promptText(label);
  }
}

export const destinationCommands = [list, add, test, update, remove];
