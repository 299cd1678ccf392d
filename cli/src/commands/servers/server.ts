import { type Schemas, unwrap } from '@mooring/client';
import { type Call, defineCommand, type Options } from '../../command.ts';
import { exitCodes, Failure, UsageError } from '../../errors.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, type Output, plainText, shortTime } from '../../output.ts';
import { credentialsFrom, targetFrom } from '../../servers/credentials.ts';
import { addressOf, allServers, findServer, type Server } from '../../servers/find.ts';
import { checkLines, serverLines } from '../../servers/show.ts';
import { wholeNumber } from '../../whole-number.ts';
import { shellWord } from '../../format.ts';

const columns: Column<Server>[] = [
  { heading: 'ID', value: ({ id }) => id },
  { heading: 'NAME', value: ({ name }) => name },
  { heading: 'WHERE', value: addressOf },
  { heading: 'HOST KEY', value: ({ hostKeyFingerprint }) => hostKeyFingerprint ?? '-' },
  { heading: 'LAST TEST', value: ({ lastCheckedAt }) => shortTime(lastCheckedAt) },
  { heading: 'OUTCOME', value: ({ lastCheck }) => (!lastCheck ? '-' : lastCheck.ok ? 'ok' : (lastCheck.code ?? '')) },
];

const list = defineCommand({
  name: 'server list',
  summary: 'List servers',
  async run({ out, instance }) {
    out.list(await allServers(signedInClient(instance())), columns);
  },
});

const show = defineCommand({
  name: 'server show',
  parameters: ['<server>'],
  summary: 'Show a server: its address, its keys and its last test',
  async run({ args: [named = ''], out, instance }) {
    const server = await findServer(signedInClient(instance()), named);
    out.print(server, () => serverLines(server));
    if (server.publicKey && !server.lastCheck?.ok) explainKey(out, server);
  },
});

const edgeOptions = {
  'base-domain': { type: 'string', value: '<domain>', help: 'base domain of generated addresses there' },
  'edge-port': { type: 'string', value: '<n>', help: 'HTTP port of the edge there; default 80' },
  'edge-tls-port': { type: 'string', value: '<n>', help: 'HTTPS port of the edge there; default 443' },
} as const satisfies Options;

/** The edge settings; `none` unsets one. */
function edgeFrom(values: Call<typeof edgeOptions>['values']) {
  const { 'base-domain': domain, 'edge-port': port, 'edge-tls-port': tlsPort } = values;
  return {
    ...(domain !== undefined && { baseDomain: domain === 'none' ? null : domain }),
    ...(port !== undefined && { edgePort: port === 'none' ? null : (wholeNumber('edge-port', port) ?? null) }),
    ...(tlsPort !== undefined && {
      edgeTlsPort: tlsPort === 'none' ? null : (wholeNumber('edge-tls-port', tlsPort) ?? null),
    }),
  };
}

const signInOptions = {
  'generate-key': { type: 'boolean', help: 'generate a key and print its public key' },
  key: { type: 'string', value: '<file>', help: 'sign in with this private key' },
  passphrase: { type: 'boolean', help: 'the key has a passphrase; prompts for it, or reads standard input' },
} as const satisfies Options;

const addOptions = {
  port: { type: 'string', value: '<n>', help: 'SSH port; default 22' },
  ...signInOptions,
  ...edgeOptions,
  'this-machine': { type: 'boolean', help: 'add the machine that runs Mooring; only for the instance owner' },
} as const satisfies Options;

const add = defineCommand({
  name: 'server add',
  parameters: ['<name>', '[user@host]'],
  summary: 'Add a server; prompts for its password, or reads it from standard input',
  description: [
    'Does not connect yet; test it with: mooring server test <name>',
    'With --generate-key it prompts for nothing: run the command that it prints on the server, then test.',
  ].join('\n'),
  options: addOptions,
  async run(call) {
    const { out, instance, args } = call;
    const client = signedInClient(instance());
    const body = { name: args[0] ?? '', ...(await placeFrom(call)) };
    const { data } = await unwrap(client.POST('/api/servers', { body }));
    const isGenerated = call.values['generate-key'] && data.publicKey;
    out.print(data, () =>
      isGenerated ? data.publicKey! : `${plainText(data.name)} is added as ${data.id}: ${addressOf(data)}.`,
    );
    if (isGenerated) explainKey(out, data);
    noteTest(out, data);
  },
});

const noteTest = (out: Output, { name }: Server): void =>
  out.note(`Test it with: mooring server test ${shellWord(name)}`);

async function placeFrom({ args, values }: Call<typeof addOptions>) {
  const { 'this-machine': isHere, port: givenPort } = values;
  if (isHere) {
    if (args[1] || givenPort || values.key || values.passphrase || values['generate-key'])
      throw new UsageError('--this-machine takes no address and no credentials');
    return { kind: 'this_machine' as const };
  }
  if (!args[1]) throw new UsageError('[user@host] is missing, or --this-machine');
  const port = wholeNumber('port', givenPort);
  const target = { ...targetFrom(args[1]), ...(port !== undefined && { port }) };
  return { ...target, ...(await credentialsFrom(values)), ...edgeFrom(values) };
}

/** The line is meant for a shell, so anything but a plain key is left out. */
function explainKey(out: Output, { publicKey, user }: Server): void {
  if (!/^[A-Za-z0-9+/=_ -]+$/.test(publicKey!)) return;
  out.note(`Run this on the server, as ${plainText(user ?? '')}:`);
  out.note(`  mkdir -p -m 700 ~/.ssh && echo '${publicKey}' >> ~/.ssh/authorized_keys`);
}

const test = defineCommand({
  name: 'server test',
  parameters: ['<server>'],
  summary: 'Test the connection to a server',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findServer(client, named);
    const { data } = await unwrap(client.POST('/api/servers/{id}/test', { params: { path: { id } } }));
    if (!data.ok && !out.json) throw new Failure(`${name}: ${reasonOf(name, data)} (${data.code})`);
    out.print(data, () => checkLines(name, data));
    if (!data.ok) process.exitCode = exitCodes.failed;
  },
});

/** The service names its API field, which is an option here. */
function reasonOf(name: string, { code, reason = '' }: Schemas['ServerCheck']): string {
  if (code === 'auth_failed') return `${reason}. See the key: mooring server show ${shellWord(name)}`;
  if (code !== 'host_key_changed') return reason;
  const [what] = reason.split('. If you reinstalled');
  return `${what}. If you reinstalled it, pin its new key: mooring server update ${shellWord(name)} --forget-host-key`;
}

const updateOptions = {
  address: { type: 'string', value: '<user@host>', help: 'connect to another host, or as another user' },
  port: { type: 'string', value: '<n>', help: 'SSH port' },
  'forget-host-key': { type: 'boolean', help: 'pin the new host key of a reinstalled machine' },
  ...signInOptions,
  ...edgeOptions,
} as const satisfies Options;

/** Stored credentials belong to host, port, user and host key, so changing one of these requires them again. */
async function connectionFrom(values: Call<typeof updateOptions>['values']) {
  const { address, port: givenPort, 'forget-host-key': forgets, key, passphrase, 'generate-key': isMade } = values;
  if (!address && givenPort === undefined && !forgets && !key && !passphrase && !isMade) return {};
  const port = wholeNumber('port', givenPort);
  return {
    ...(address && targetFrom(address)),
    ...(port !== undefined && { port }),
    ...(forgets && { hostKey: null }),
    password: null,
    ...(!key && !isMade && { privateKey: null }),
    ...(await credentialsFrom(values)),
  };
}

const update = defineCommand({
  name: 'server update',
  parameters: ['<server>'],
  summary: 'Change a server; none clears a value',
  description: [
    'A new address, port or host key needs the credentials again: prompts for the password, or reads it from',
    'standard input, unless --key or --generate-key is given.',
  ].join('\n'),
  options: updateOptions,
  async run({ args: [named = ''], values, out, instance }) {
    const connection = await connectionFrom(values);
    const body = { ...edgeFrom(values), ...connection };
    if (!Object.keys(body).length) throw new UsageError('nothing to change; see: mooring server update --help');
    const client = signedInClient(instance());
    const { id } = await findServer(client, named);
    const { data, message } = await unwrap(client.PATCH('/api/servers/{id}', { params: { path: { id } }, body }));
    const isGenerated = values['generate-key'] && data.publicKey;
    out.print(data, () => (isGenerated ? data.publicKey! : `${plainText(data.name)} is changed.`));
    if (isGenerated) explainKey(out, data);
    if (message) out.note(`Note: ${message}.`);
    if (Object.keys(connection).length) noteTest(out, data);
  },
});

const remove = defineCommand({
  name: 'server remove',
  parameters: ['<server>'],
  summary: 'Remove a server from Mooring',
  async run({ args: [named = ''], out, instance }) {
    const client = signedInClient(instance());
    const { id, name } = await findServer(client, named);
    const { message } = await unwrap(client.DELETE('/api/servers/{id}', { params: { path: { id } } }));
    out.print({ id, removed: true, ...(message && { message }) }, () => `${plainText(name)} is removed.`);
    if (message) out.note(plainText(`Warning: ${message}.`));
  },
});

export const serverCommands = [list, show, add, update, test, remove];
