/** Facts that decide how to connect the git host. */
export interface ConnectFacts {
  /** Source that the caller asked for. */
  source: 'any' | 'oauth' | 'cli';
  mode: 'self-hosted' | 'cloud';
  /** Whether an app is configured. */
  app: 'yes' | 'no';
  /** OAuth client: none, without or with a secret. */
  client: 'none' | 'id' | 'secret';
  /** Whether the git host can redirect a browser back to us. */
  redirect: 'yes' | 'no';
  /** Whether the caller is the instance owner, who has access to the app's key and the machine's sign-ins anyway. */
  owner: 'yes' | 'no';
  /** Whether the instance has one organization, so that all installations must be its own. */
  alone: 'yes' | 'no';
  cloud: 'yes' | 'no';
  /** State of `gh` on this machine. */
  gh: 'missing' | 'signed_out' | 'signed_in';
}

/** Connect methods, implemented in `connect.ts`. */
export type ConnectWay =
  | 'install'
  | 'claim'
  | 'web'
  | 'device'
  | 'cloud'
  | 'cli'
  | 'terminal'
  | 'only_owner'
  | 'no_cli_in_cloud'
  | 'install_gh'
  | 'no_proof'
  | 'no_client'
  | 'nothing';

type Row = { when: { [K in keyof ConnectFacts]?: readonly ConnectFacts[K][] }; way: ConnectWay; answer: string };

/**
 * The first matching row applies unless the organization is connected already. Facts that a row does not name are
 * ignored.
 */
export const connectTable: readonly Row[] = [
  { when: { source: ['cli'], mode: ['cloud'] }, way: 'no_cli_in_cloud', answer: '400 `bad_request`' },
  {
    when: { source: ['any'], mode: ['self-hosted'], app: ['yes'], owner: ['yes'], alone: ['yes'] },
    way: 'claim',
    answer: '`{connected: true}` if the app is installed somewhere; else `redirect` to install it',
  },
  {
    when: { source: ['any'], app: ['yes'], client: ['secret'], redirect: ['yes'] },
    way: 'install',
    answer: '`redirect` to install the app, then to sign in, which verifies the owner',
  },
  {
    when: { source: ['any'], mode: ['self-hosted'], app: ['yes'], owner: ['yes'] },
    way: 'claim',
    answer:
      '`{connected: true}` if the app is installed somewhere that no organization has; else `redirect` to install it',
  },
  {
    when: { source: ['any', 'oauth'], client: ['secret'], redirect: ['yes'] },
    way: 'web',
    answer: '`redirect` to sign in at the git host',
  },
  {
    when: { source: ['any', 'oauth'], mode: ['self-hosted'], client: ['id', 'secret'] },
    way: 'device',
    answer: '`device_code`',
  },
  {
    when: { source: ['any'], app: ['yes'] },
    way: 'no_proof',
    answer: '400 `not_configured`: nothing can verify who owns an installation',
  },
  {
    when: { source: ['any', 'oauth'], mode: ['self-hosted'], app: ['no'], cloud: ['yes'] },
    way: 'cloud',
    answer:
      '`{connected: true}` if its app is installed for the organization there and `source` is `any`; else `redirect` to where the cloud says; 503 `cloud_unreachable` if it does not answer',
  },
  { when: { source: ['oauth'] }, way: 'no_client', answer: '400 `not_configured`' },
  {
    when: { mode: ['self-hosted'], gh: ['signed_in'], owner: ['yes'] },
    way: 'cli',
    answer: '`{connected: true}`, with the sign-in of `gh`',
  },
  { when: { mode: ['self-hosted'], gh: ['signed_in'] }, way: 'only_owner', answer: '403 `forbidden`' },
  {
    when: { mode: ['self-hosted'], gh: ['signed_out'] },
    way: 'terminal',
    answer: '`terminal`: how to sign in with `gh`',
  },
  {
    when: { source: ['cli'] },
    way: 'install_gh',
    answer: '`terminal`: how to install `gh` and sign in with it',
  },
  { when: {}, way: 'nothing', answer: '400 `not_configured`, with what can be set up' },
];

/** Looks facts up lazily: only those that earlier rows did not decide. */
export type FactFinder = { [K in keyof ConnectFacts]: () => ConnectFacts[K] | Promise<ConnectFacts[K]> };

export async function chooseConnectWay(find: FactFinder): Promise<ConnectWay> {
  const known: Partial<ConnectFacts> = {};
  const fits = async (fact: keyof ConnectFacts, wanted: readonly string[]) =>
    wanted.includes(
      ((known[fact] as string | undefined) ??= (known as Record<string, string>)[fact] = await find[fact]()),
    );
  for (const { when, way } of connectTable) {
    let isFitting = true;
    for (const [fact, wanted] of Object.entries(when)) isFitting &&= await fits(fact as keyof ConnectFacts, wanted);
    if (isFitting) return way;
  }
  throw new Error('no row of the connect table matches');
}

/** Returns the table as Markdown for the documentation. */
export function connectTablePage(): string {
  const facts = ['source', 'mode', 'app', 'client', 'redirect', 'owner', 'alone', 'cloud', 'gh'] as const;
  const cell = (words: readonly string[] | undefined) => words?.map((word) => `\`${word}\``).join(', ') ?? '';
  const rows = connectTable.map(({ when, answer }) => [...facts.map((fact) => cell(when[fact])), answer]);
  return [[...facts, 'answer'], [...facts, 'answer'].map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}
