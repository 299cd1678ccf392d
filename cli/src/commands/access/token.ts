import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { Failure, UsageError } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, shortTime } from '../../output.ts';
import { wholeNumber } from '../../whole-number.ts';

type Token = Schemas['Token'];

const columns: Column<Token>[] = [
  { heading: 'ID', value: ({ id }) => id },
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'TOKEN', value: ({ prefix }) => `${prefix}...` },
  { heading: 'HOLDER', value: ({ holder }) => holder.email },
  { heading: 'EXPIRES', value: ({ expiresAt }) => shortTime(expiresAt, 'never') },
  { heading: 'LAST USED', value: ({ lastUsedAt }) => shortTime(lastUsedAt) },
  { heading: 'PERMISSIONS', value: ({ permissions }) => shortly(permissions) },
];

function shortly(permissions: Token['permissions']): string {
  if (permissions === '*') return 'all';
  return permissions.length > 3
    ? `${permissions.slice(0, 2).join(' ')} and ${permissions.length - 2} more`
    : permissions.join(' ');
}

const list = defineCommand({
  name: 'token list',
  summary: 'List access tokens',
  async run({ out, instance }) {
    const { data } = await unwrap(signedInClient(instance()).GET('/api/tokens'));
    out.list(data, columns);
  },
});

const create = defineCommand({
  name: 'token create',
  summary: 'Create an access token and print it once',
  description: 'Only the token goes to standard output: mooring token create --name ci --all | pbcopy',
  options: {
    name: { type: 'string', value: '<name>', help: 'name of the token' },
    permission: {
      type: 'string',
      multiple: true,
      value: '<resource>:<action>',
      help: 'a permission of the token; repeatable',
    },
    all: { type: 'boolean', help: 'all of your permissions' },
    'expires-in-days': {
      type: 'string',
      value: '<n>',
      help: 'expiry date; default: never',
    },
  },
  async run({ values, out, instance }) {
    const { name, permission, all } = values;
    if (!name) throw new UsageError('--name is missing');
    if (!permission === !all) throw new UsageError('give --permission (repeatable) or --all');
    const expiresInDays = wholeNumber('expires-in-days', values['expires-in-days']);
    const body = { name, permissions: permission ?? ('*' as const), expiresInDays };
    const { data } = await unwrap(signedInClient(instance()).POST('/api/tokens', { body }));
    out.print(data, () => data.token);
    out.note(`The token ${data.id} is shown only once.`);
  },
});

const revoke = defineCommand({
  name: 'token revoke',
  parameters: ['<token>'],
  summary: 'Revoke an access token, by its id or name',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const id = named.startsWith('tok_') ? named : await idOf(client, named);
    await unwrap(client.DELETE('/api/tokens/{id}', { params: { path: { id } } }));
    out.print({ id, revoked: true }, () => `The token ${id} is revoked.`);
  },
});

async function idOf(client: Client, name: string): Promise<string> {
  const found = (await unwrap(client.GET('/api/tokens'))).data.filter((token) => token.name === name);
  if (found.length === 1) return found[0]!.id;
  if (!found.length) throw new Failure(`there is no token ${name}; see: mooring token list`);
  throw new Failure(
    `${found.length} tokens are called ${name}: ${found.map(({ id }) => id).join(', ')}; name one by its id`,
  );
}

export const tokenCommands = [list, create, revoke];
