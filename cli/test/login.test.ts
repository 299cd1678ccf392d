import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closedUrl, nodeOnPath, Person } from './mooring.ts';
import { owner, type Service, startService } from './service.ts';

type Stored = { url: string; token: string; tokenId: string | null; organization: { id: string; name: string } };
type Token = { id: string; name: string };

let service: Service;
let ada: Person;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());
beforeEach(() => {
  ada = new Person();
});
afterEach(() => ada.leave());

const stored = () => JSON.parse(readFileSync(ada.loginFile, 'utf8')) as Stored;
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const newToken = async () => (await ada.run(['token', 'create', '--name', 'pasted', '--all'])).stdout.trim();

describe.each([nodeOnPath, process.execPath])('login with a password on %s', (node) => {
  test('stores its own token, and no session', async () => {
    const { code, stdout } = await ada.logIn(service.url, { node });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `Logged in to ${service.url} as ${owner.email}, My organization.\n`,
    });
    const { token, tokenId } = stored();
    expect(token).toMatch(/^mrg_pat_/);
    const tokens = await ada.json<Token[]>(['token', 'list'], { node });
    expect(tokens).toContainEqual(
      expect.objectContaining({ id: tokenId, name: `CLI on ${hostname()}`, permissions: '*' }),
    );
    const [newest] = await ada.json<{ action: string }[]>(['audit', '--action', 'session.', '--limit', '1'], { node });
    expect(newest).toMatchObject({ action: 'session.ended' });
  });
});

test('the stored login is readable only by its owner', async () => {
  await ada.logIn(service.url);
  expect([mode(ada.loginFile), mode(dirname(ada.loginFile))]).toEqual(['600', '700']);
  expect(readdirSync(dirname(ada.loginFile))).toEqual(['config.json']);
  expect(readFileSync(ada.loginFile, 'utf8')).not.toContain(owner.password);
  chmodSync(ada.loginFile, 0o644);
  await ada.run(['whoami']);
  expect(mode(ada.loginFile)).toBe('600');
});

test('MOORING_CONFIG and XDG_CONFIG_HOME locate the login; permissions of an existing folder are kept', async () => {
  const named = join(ada.home, 'named.json');
  chmodSync(ada.home, 0o755);
  await ada.logIn(service.url, { env: { MOORING_CONFIG: named } });
  expect([mode(named), mode(ada.home)]).toEqual(['600', '755']);
  await ada.logIn(service.url, { env: { XDG_CONFIG_HOME: join(ada.home, 'xdg') } });
  expect(mode(join(ada.home, 'xdg', 'mooring', 'config.json'))).toBe('600');
  expect(existsSync(ada.loginFile)).toBe(false);
});

test('a wrong password is reported, and nothing is stored', async () => {
  const { code, stdout, stderr } = await ada.logIn(service.url, { stdin: 'not-the-password' });
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: 'mooring: e-mail address or password is wrong\n',
  });
  expect(existsSync(ada.loginFile)).toBe(false);
});

test('an instance without an owner is reported, with the way to create one', async () => {
  const empty = await startService({ MOORING_ADMIN_EMAIL: '', MOORING_ADMIN_PASSWORD: '' });
  try {
    const { code, stderr } = await ada.logIn(empty.url);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `mooring: ${empty.url} is not set up yet; create its owner with the link that the service printed ` +
        '(.../setup#code=..., in the output of npm start or in journalctl -u mooring; a restart prints a new one)\n',
    });
    expect(empty.output()).toContain('/setup#code=');
    expect(existsSync(ada.loginFile)).toBe(false);
  } finally {
    await empty.stop();
  }
});

test('login with a token verifies it first', async () => {
  await ada.logIn(service.url);
  const token = await newToken();
  const bob = new Person();
  const withToken = (stdin: string) => bob.run(['login', service.url, '--token-stdin'], { stdin });
  expect(await withToken('hello')).toMatchObject({ code: 1, stderr: expect.stringContaining('not an access token') });
  expect(await withToken(`mrg_pat_${'x'.repeat(43)}`)).toMatchObject({
    code: 1,
    stderr: 'mooring: the access token is not valid\n',
  });
  expect(await withToken('')).toMatchObject({ code: 1, stderr: 'mooring: no token on standard input\n' });
  expect(existsSync(bob.loginFile)).toBe(false);
  expect(await withToken(`${token}\n`)).toMatchObject({ code: 0, stderr: '' });
  expect(await bob.json(['whoami'])).toMatchObject({ url: service.url, user: { email: owner.email }, via: 'token' });
  expect(await bob.run(['logout'])).toMatchObject({ code: 0, stdout: expect.stringContaining('stays valid') });
  expect(await withToken(token)).toMatchObject({ code: 0 });
  bob.leave();
});

test('without a terminal there are no prompts', async () => {
  expect(await ada.run(['login', service.url])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('there is no terminal to prompt on'),
  });
  expect(await ada.run(['login', '--password-stdin'])).toMatchObject({ code: 2 });
  expect(await ada.run(['login', '--token-stdin', '--email', 'x'])).toMatchObject({ code: 2 });
});

test('a login is stored only for a Mooring instance', async () => {
  const nowhere = await closedUrl();
  const refused = `mooring: cannot reach ${nowhere}: is Mooring running there?
`;
  expect(await ada.logIn(nowhere)).toMatchObject({ code: 1, stderr: refused });
  expect(await ada.logIn('mooring.example.com')).toMatchObject({ code: 2 });
  expect(await ada.logIn(`${service.url}/some/page`)).toMatchObject({ code: 2 });
});
