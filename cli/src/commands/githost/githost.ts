import { type Client, type Schemas, unwrap } from '@mooring/client';
import { defineCommand } from '../../command.ts';
import { exitCodes, UsageError } from '../../errors.ts';
import { accountsBy, gitHostStatus, waitForBrowser, waitForCode } from '../../githost/wait.ts';
import { signedInClient } from '../../instance.ts';
import { type Column, type Output, plainText, shortTime } from '../../output.ts';

type Account = Schemas['GitHostAccount'];
type Repository = Schemas['GitHostRepository'];
type Answer = Schemas['GitHostConnect'];

const accountColumns: Column<Account>[] = [
  { heading: 'ACCOUNT', value: ({ login }) => login },
  { heading: 'TYPE', value: ({ type }) => type },
  { heading: 'BY', value: ({ sources }) => sources.join(', ') },
];

const repositoryColumns: Column<Repository>[] = [
  { heading: 'REPOSITORY', value: ({ fullName }) => fullName },
  { heading: 'BRANCH', value: ({ defaultBranch }) => defaultBranch ?? '-' },
  { heading: 'VISIBLE', value: (each) => (each.private ? 'private' : 'public') },
  { heading: 'PUSHED', value: ({ pushedAt }) => shortTime(pushedAt, 'never') },
];

const words: Record<string, string> = {
  disconnected: 'The git host is not connected. Connect it with: mooring githost connect',
  suspended: 'The app is suspended at the git host; resume it there.',
  signed_out: 'The git host rejects the connection. Run: mooring githost connect',
  unavailable: 'The git host does not respond.',
};

const status = defineCommand({
  name: 'githost status',
  summary: 'Show the git host connection and its accounts',
  async run({ out, instance }) {
    const found = await gitHostStatus(signedInClient(instance()));
    if (out.json) return out.print(found, () => '');
    if (found.state === 'connected') return out.list(found.accounts, accountColumns);
    const cloud = found.cloudUnreachable ? ' The linked cloud does not respond.' : '';
    return out.print(found, () => (words[found.state] ?? found.state) + cloud);
  },
});

const connect = defineCommand({
  name: 'githost connect',
  summary: 'Connect the git host',
  description: 'Prints what to do in a browser or terminal, and waits until you are done.',
  options: {
    source: {
      type: 'string',
      value: '<oauth|cli|app>',
      help: 'connect an account, the gh sign-in of the machine, or the app for another account',
    },
    'no-wait': { type: 'boolean', help: 'print what to do, and exit' },
  },
  async run({ values, out, instance }) {
    const client = signedInClient(instance());
    const source = sourceOf(values.source, ['oauth', 'cli', 'app'] as const);
    const before = await accountsBy(client, source);
    const answer = await unwrap(client.POST('/api/githost/connect', { body: source ? { source } : {} }));
    if (answer.connected) return show(client, out);
    explain(answer, out, values['no-wait'] ?? false);
    if (values['no-wait']) return undefined;
    if (answer.flow === 'terminal') {
      process.exitCode = exitCodes.failed;
      return undefined;
    }
    if (answer.flow === 'redirect') await waitForBrowser(client, source, before);
    else await waitForCode(client, answer.intervalSeconds);
    return show(client, out);
  },
});

/** Prints the next step for the person. Without waiting, it is the command's result. */
function explain(answer: Answer, out: Output, isAll: boolean): void {
  if (answer.connected) return;
  const lines =
    answer.flow === 'redirect'
      ? ['Open this address in a browser:', `  ${plainText(answer.url)}`]
      : answer.flow === 'device_code'
        ? [
            `Open ${plainText(answer.verificationUri)} in a browser and enter this code:`,
            `  ${plainText(answer.userCode)}`,
          ]
        : [plainText(answer.message), `  ${plainText(answer.command)}`];
  if (isAll || answer.flow === 'terminal') out.print(answer, () => lines.join('\n'));
  else out.note([...lines, 'Waiting for you to finish ...'].join('\n'));
}

async function show(client: Client, out: Output): Promise<void> {
  const found = await gitHostStatus(client);
  out.print(found, () => `Connected: ${found.accounts.map(({ login }) => plainText(login)).join(', ')}`);
}

const repos = defineCommand({
  name: 'githost repos',
  parameters: ['[owner]'],
  summary: 'List repositories of the git host',
  async run({ args: [owner], out, instance }) {
    const query = owner === undefined ? {} : { owner };
    const { data } = await unwrap(signedInClient(instance()).GET('/api/githost/repos', { params: { query } }));
    out.list(data, repositoryColumns);
  },
});

const disconnect = defineCommand({
  name: 'githost disconnect',
  summary: 'Disconnect the git host; the app stays installed there',
  options: { source: { type: 'string', value: '<oauth|cli|all>', help: 'what to disconnect; default all' } },
  async run({ values, out, instance }) {
    const source = sourceOf(values.source, ['oauth', 'cli', 'all'] as const);
    const body = source ? { source } : {};
    const { data } = await unwrap(signedInClient(instance()).POST('/api/githost/disconnect', { body }));
    out.print(data, () =>
      data.sources.length ? `Disconnected: ${data.sources.join(', ')}.` : 'Nothing was connected.',
    );
    for (const warning of data.warnings) out.note(plainText(warning));
  },
});

function sourceOf<const T extends string>(given: string | undefined, known: readonly T[]): T | undefined {
  if (given === undefined || known.includes(given as T)) return given as T | undefined;
  throw new UsageError(`--source is one of ${known.join(', ')}`);
}

export const githostCommands = [status, connect, repos, disconnect];
