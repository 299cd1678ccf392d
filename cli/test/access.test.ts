import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from './mooring.ts';
import { owner, type Service, startService } from './service.ts';

let service: Service;
const ada = new Person();
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
});
afterAll(async () => {
  ada.leave();
  await service.stop();
});

type Token = { id: string; name: string; token: string };

test('whoami prints the person, the instance and the role', async () => {
  const { code, stdout } = await ada.run(['whoami']);
  expect(code).toBe(0);
  expect(stdout).toContain(`${owner.email} (Owner), owner of the instance\nowner of My organization (org_`);
  expect(stdout).toContain(`at ${service.url}`);
});

test('limits exist only in a cloud', async () => {
  expect(await ada.run(['limits'])).toMatchObject({
    code: 0,
    stdout: 'This instance has no limits for organizations.\n',
  });
});

test('a token is created, used, listed and revoked', async () => {
  const made = await ada.run([
    'token',
    'create',
    '--name',
    'ci',
    '--permission',
    'deployment:read',
    '--permission',
    'project:list',
  ]);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^mrg_pat_\S{43}\n$/),
    stderr: expect.stringContaining('shown only once'),
  });
  const env = { MOORING_URL: service.url, MOORING_TOKEN: made.stdout.trim() };
  const me = await ada.json<{ organization: { permissions: string[] } }>(['whoami'], { env });
  expect(me.organization.permissions).toEqual(['deployment:read', 'project:list']);
  const listed = await ada.json<Token[]>(['token', 'list']);
  const { id } = listed.find(({ name }) => name === 'ci')!;
  expect((await ada.run(['token', 'list'])).stdout).toMatch(
    new RegExp(`^ID .* PERMISSIONS\n(.*\n)*${id}  ci .*deployment:read project:list\n`),
  );
  expect(await ada.json(['token', 'revoke', id])).toEqual({ id, revoked: true });
  expect(await ada.run(['whoami'], { env })).toMatchObject({ code: 1 });
  expect(await ada.run(['token', 'revoke', id])).toMatchObject({ code: 1, stderr: 'mooring: token not found\n' });
  const create = () => ada.run(['token', 'create', '--name', 'nightly', '--permission', 'project:list']);
  await create();
  expect(await ada.json(['token', 'revoke', 'nightly'])).toMatchObject({ revoked: true });
  expect((await ada.run(['token', 'revoke', 'nightly'])).stderr).toContain('there is no token nightly');
  await create();
  await create();
  expect((await ada.run(['token', 'revoke', 'nightly'])).stderr).toMatch(/2 tokens are called nightly: tok_\w+, tok_/);
});

test('a token that expires, as JSON', async () => {
  const made = await ada.json<Token & { expiresAt: string }>([
    'token',
    'create',
    '--name',
    'short',
    '--all',
    '--expires-in-days',
    '2',
  ]);
  expect(made.token).toMatch(/^mrg_pat_/);
  expect(Math.round((Date.parse(made.expiresAt) - Date.now()) / 86_400_000)).toBe(2);
});

test.each([
  [['token', 'create', '--all'], '--name is missing'],
  [['token', 'create', '--name', 'x'], 'give --permission'],
  [['token', 'create', '--name', 'x', '--all', '--permission', 'a:b'], 'give --permission'],
  [['token', 'create', '--name', 'x', '--all', '--expires-in-days', 'soon'], 'must be a whole number'],
  [['token', 'revoke'], '<token> is missing'],
  [['token', 'list', 'more'], 'more is an unexpected argument'],
  [['whoami', '--loud'], "unknown option '--loud'"],
])('%j is a usage error', async (args, sentence) => {
  const { code, stdout, stderr } = await ada.run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^mooring: [^\n]+\n$/);
  expect(stderr).toContain(sentence);
});

test('an invitation prints only its link', async () => {
  const { code, stdout, stderr } = await ada.run(['invite', 'bob@example.com', '--role', 'viewer']);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^${service.url}/invitation#token=\\S+\n$`)),
  });
  expect(stderr).toContain('Mooring sends no e-mail');
  expect(await ada.run(['invite', 'bob@example.com', '--role', 'king'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('role must be one of'),
  });
});

test('names from others cannot inject terminal control sequences', async () => {
  await ada.json(['token', 'create', '--name', 'red \u001b[31m\u202Ealert', '--all']);
  const { stdout } = await ada.run(['token', 'list']);
  expect(stdout).toContain('red  alert');
  for (const steering of ['\u001b', '\u202E']) expect(stdout).not.toContain(steering);
});

test('members and audit entries are printed as a table and as JSON', async () => {
  expect(await ada.json(['member', 'list'])).toEqual([expect.objectContaining({ email: owner.email, role: 'owner' })]);
  expect((await ada.run(['member', 'list'])).stdout).toMatch(/^ID +E-MAIL +NAME +ROLE +SINCE\nmem_/);
  const entries = await ada.json<{ action: string }[]>(['audit', '--action', 'token.', '--limit', '2']);
  expect(entries.map(({ action }) => action.split('.')[0])).toEqual(['token', 'token']);
  expect((await ada.run(['audit'])).stdout).toMatch(/^AT +WHO +FROM +ACTION +WHAT\n/);
});

test('audit entries are fetched across pages', async () => {
  for (let i = 0; i < 104; i++)
    await fetchAsAda('/api/organizations/current', { method: 'PATCH', body: '{"name":"My organization"}' });
  const entries = await ada.json<{ id: string }[]>(['audit', '--action', 'organization.renamed', '--limit', '103']);
  expect(new Set(entries.map(({ id }) => id)).size).toBe(103);
});

async function fetchAsAda(path: string, init: RequestInit): Promise<void> {
  token ??= (await ada.json<Token>(['token', 'create', '--name', 'many', '--all'])).token;
  await fetch(new URL(path, service.url), {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
}
let token: string | undefined;
