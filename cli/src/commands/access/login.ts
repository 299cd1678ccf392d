import { type Call, defineCommand, type Options } from '../../command.ts';
import { checkedToken, type Login, loginFile, readLogin, writeLogin } from '../../login-file.ts';
import { Failure, UsageError } from '../../errors.ts';
import { defaultUrl, instanceUrl } from '../../instance.ts';
import { chooseOrganization, isNamed } from '../../organization-choice.ts';
import { bold, type Output, plainText } from '../../output.ts';
import { promptText, askSecret, isInteractive, secretFromStdin } from '../../prompt.ts';
import { revokeTokenOf } from '../../revocation.ts';
import { holderOf, type MadeToken, requireMooring, requireSetUp, tokenByPassword } from '../../sign-in.ts';

const options = {
  email: { type: 'string', value: '<email>', help: 'sign in with this address and a password' },
  'password-stdin': { type: 'boolean', help: 'read the password from standard input' },
  'token-stdin': { type: 'boolean', help: 'read an access token from standard input' },
  organization: { type: 'string', value: '<id or name>', help: 'the organization to work in' },
} as const satisfies Options;

type LoginCall = Call<typeof options>;

export const login = defineCommand({
  name: 'login',
  parameters: ['[url]'],
  summary: 'Log in to an instance and store the login',
  description:
    'With e-mail and password a token named after this machine is made, and only that is stored.\n' +
    'Tokens and passwords are never arguments, because other users of the machine could see them.',
  options,
  async run(call) {
    const { out, values } = call;
    requireWayIn(values);
    const previous = readableLogin();
    const url = await chosenUrl(call, previous);
    await requireMooring(url);
    await requireSetUp(url);
    warnOfPlainHttp(url, out);
    const made = await logIn(url, values);
    await store(made);
    if (previous && previous.token !== made.token) await retire(previous, out);
    if (process.env.MOORING_TOKEN) out.note('MOORING_TOKEN is set and takes precedence over this login.');
    const { token: _secret, ...shown } = made;
    const where = plainText(made.organization?.name ?? 'no organization');
    out.print(shown, () => `Logged in to ${url} as ${bold(made.email)}, ${where}.`);
  },
});

function requireWayIn(values: LoginCall['values']): void {
  if (values['token-stdin'] && (values.email || values['password-stdin']))
    throw new UsageError('--token-stdin cannot be combined with --email and --password-stdin');
  if (values['password-stdin'] && !values.email) throw new UsageError('--password-stdin needs --email');
  if (!isInteractive() && !values['token-stdin'] && !values['password-stdin'])
    throw new UsageError('there is no terminal to prompt on; use --token-stdin, or --email with --password-stdin');
}

async function chosenUrl({ args, url }: LoginCall, previous: Login | undefined): Promise<string> {
  const named = args[0] ?? url ?? process.env.MOORING_URL;
  if (named) return instanceUrl(named);
  const likely = previous?.url ?? defaultUrl;
  return instanceUrl(isInteractive() ? await promptText('Instance', likely) : likely);
}

/** Verifies any token before it is stored. */
async function logIn(url: string, values: LoginCall['values']): Promise<Login> {
  const { token, tokenId } = await obtainToken(url, values);
  const { user, organization } = await holderOf(url, token);
  if (values.organization && !(organization && isNamed(organization, values.organization)))
    throw new Failure(`this token is for the organization ${organization?.name}`);
  return {
    url,
    token,
    tokenId,
    email: user.email,
    organization: organization && { id: organization.id, name: organization.name },
  };
}

async function obtainToken(
  url: string,
  values: LoginCall['values'],
): Promise<MadeToken | { token: string; tokenId: null }> {
  const given = (token: string) => ({ token: checkedToken(token, 'this'), tokenId: null });
  if (values['token-stdin']) return given(await secretFromStdin('Token'));
  const email = values.email ?? (await promptText('E-mail (leave empty to paste a token)'));
  if (!email) return given(await askSecret('Token'));
  const password = await (values['password-stdin'] ? secretFromStdin('Password') : askSecret('Password'));
  return tokenByPassword(url, { email, password }, (all) => chooseOrganization(all, values.organization));
}

/** Revokes a token that could not be stored, so that it does not linger. */
async function store(made: Login): Promise<void> {
  try {
    writeLogin(made);
  } catch (error) {
    await revokeTokenOf(made);
    throw error;
  }
}

/** Only one login is stored, so the previous token is revoked. */
async function retire(previous: Login, out: Output): Promise<void> {
  await revokeTokenOf(previous).catch((error: Error) =>
    out.note(
      `The token of the previous login, ${previous.tokenId} at ${previous.url}, is still valid: ${error.message}`,
    ),
  );
}

function readableLogin(): Login | undefined {
  try {
    return readLogin();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    process.stderr.write(`${loginFile()} was not a valid login file and is replaced.\n`);
    return undefined;
  }
}

function warnOfPlainHttp(url: string, out: Output): void {
  const { protocol, hostname } = new URL(url);
  const isHere = /^(localhost|.*\.localhost|127\..*|\[::1\])$/.test(hostname);
  if (protocol === 'http:' && !isHere)
    out.note(`Warning: ${url} is not encrypted; others on the network can read your token.`);
}
