import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { has } from '../../server/test/rig/parts.ts';
import { startSshd, type Sshd } from '../../server/test/rig/sshd.ts';
import { newSshKey } from '../../server/src/lib/ssh-key.ts';
import { Person, Typist } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

let service: Service;
const ada = new Person();
beforeAll(async () => {
  service = await startService();
  await ada.logIn(service.url);
});
afterAll(async () => {
  ada.leave();
  await stopWithApps(service);
});

type Server = { id: string; name: string; hasPassword: boolean; hasPrivateKey: boolean; publicKey: string };

test('a password is read from standard input or a prompt, and never shown', async () => {
  const added = await ada.run(['server', 'add', 'web', 'root@127.0.0.1', '--port', '1'], { stdin: 'hunter2\n' });
  expect(added).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^web is added as srv_\w+: root@127.0.0.1:1\.\n$/),
  });
  const typist = new Typist(ada, ['server', 'add', 'typed', 'root@127.0.0.1', '--port', '1']);
  await typist.answer('Password', 'hunter2');
  expect(await typist.end()).toBe(0);
  expect(typist.screen).not.toContain('hunter2');
  const all = await ada.json<Server[]>(['server', 'list']);
  expect(all).toMatchObject([
    { name: 'typed', hasPassword: true },
    { name: 'web', hasPassword: true },
  ]);
  expect(JSON.stringify(all)).not.toContain('hunter2');
  const tried = await ada.run(['server', 'test', 'web']);
  expect(tried).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^mooring: web: .*\(unreachable\)\n$/),
  });
  const asJson = await ada.run(['server', 'test', 'web', '--json']);
  expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([1, { ok: false, code: 'unreachable' }]);
  expect((await ada.run(['server', 'list'])).stdout).toMatch(
    /^ID .*OUTCOME\n(.*\n)*srv_\w+ +web +root@127.0.0.1:1 .*unreachable\n/,
  );
  expect(await ada.run(['server', 'remove', 'web'])).toMatchObject({ code: 0, stdout: 'web is removed.\n' });
  expect(await ada.run(['server', 'remove', 'web'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no server web'),
  });
});

test('removing an unreachable server says what may remain there', async () => {
  const args = ['server', 'add', 'away', 'root@127.0.0.1', '--port', '1'];
  expect(await ada.run(args, { stdin: 'hunter2\n' })).toMatchObject({ code: 0 });
  const [server] = await ada
    .json<Server[]>(['server', 'list'])
    .then((all) => all.filter(({ name }) => name === 'away'));
  // As if a deployment had run there.
  mkdirSync(join(service.dataDir, 'servers', server!.id), { recursive: true });
  expect(await ada.run(['server', 'remove', 'away'])).toMatchObject({
    code: 0,
    stdout: 'away is removed.\n',
    stderr: expect.stringMatching(/^Warning: the server away was not cleaned up: .* by hand\.\n$/),
  });
});

test('this machine can be added as a server', async () => {
  expect(await ada.json(['server', 'add', 'here', '--this-machine'])).toMatchObject({ kind: 'this_machine' });
  expect((await ada.run(['server', 'test', 'here'])).stdout).toMatch(/^here responds in 0 ms\.\nSystem: {2}Linux /);
  expect((await ada.run(['server', 'show', 'here'])).stdout).toMatch(
    /^ID +srv_\w+\nName +here\nAddress +this machine\nLast test +ok, \S+ \S+\n$/,
  );
});

test.each([
  [['server', 'add', 'x'], '[user@host] is missing'],
  [['server', 'add', 'x', 'example.com'], 'is not user@host'],
  [['server', 'add', 'x', 'root:hunter2@example.com'], 'passwords on the command line are visible'],
  [['server', 'add', 'x', 'a@b', '--generate-key', '--key', 'f'], 'either --generate-key or --key'],
  [['server', 'add', 'x', 'a@b', '--passphrase'], '--passphrase needs --key'],
  [['server', 'add', 'x', 'a@b', '--port', 'ssh'], 'must be a whole number'],
  [['server', 'add', 'x', '--this-machine', '--generate-key'], 'takes no address'],
  [['server', 'add', 'x', 'a@b', '--password', 'y'], "unknown option '--password'"],
])('%j is a usage error', async (args, sentence) => {
  const { code, stdout, stderr } = await ada.run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(sentence);
});

test('a key file that is missing or is no key is explained', async () => {
  const add = (file: string) => ada.run(['server', 'add', 'x', 'a@b', '--key', file]);
  expect(await add('/nowhere/id')).toMatchObject({
    code: 1,
    stderr:
      'mooring: the key /nowhere/id was not read: there is no such file. --key takes the path of a private key file\n',
  });
  const file = join(ada.home, 'no-key');
  writeFileSync(file, 'hello');
  expect(await add(file)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^mooring: privateKey is not valid: .* -----BEGIN OPENSSH PRIVATE KEY-----.* passphrase/,
    ),
  });
});

describe.runIf(has('sshd'))('a real SSH server', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd?.stop());

  test('is added with a generated key, whose authorized_keys line is printed', async () => {
    const args = ['server', 'add', 'made', `${sshd.user}@127.0.0.1`, '--port', String(sshd.port), '--generate-key'];
    const { stdout, stderr } = await ada.run(args);
    expect(stdout).toMatch(/^ssh-ed25519 \S+ mooring-srv_\w+\n$/);
    expect(stderr).toContain(`echo '${stdout.trim()}' >> ~/.ssh/authorized_keys`);
    const early = await ada.run(['server', 'test', 'made']);
    expect(early.stderr).toMatch(/authorized_keys of \w+\. See the key: mooring server show made \(auth_failed\)\n$/);
    expect((await ada.run(['migrate', 'scan', 'made'])).stderr).toContain('with these credentials; check the user');
    expect(service.output()).toMatch(
      /"level":40,.*"request failed: .* could not be inspected: .* with these credentials/,
    );
    expect(service.output()).not.toContain('SshError');
    const shown = await ada.run(['server', 'show', 'made']);
    expect(shown.stdout).toContain(
      `\nUser         ${sshd.user}\nSSH port     ${sshd.port}\nSign-in      private key\n`,
    );
    expect(shown.stdout).toContain(`\nPublic key   ${stdout}Host key     none`);
    expect(shown.stderr).toContain(`echo '${stdout.trim()}' >> ~/.ssh/authorized_keys`);
    sshd.allow(stdout.trim());
    expect((await ada.run(['server', 'test', 'made'])).stdout).toMatch(
      /^made responds in [\d.]+ ms\.\nSystem: .*\nRights: {2}root\n/,
    );
  });

  test('is moved or pinned again with its credentials', async () => {
    const args = ['server', 'add', 'moved', 'root@127.0.0.1', '--port', '1'];
    expect(await ada.run(args, { stdin: 'hunter2\n' })).toMatchObject({ code: 0 });
    const { privateKey, publicKey } = newSshKey('ada');
    const file = join(ada.home, 'moved');
    writeFileSync(file, privateKey);
    sshd.allow(publicKey);
    const moved = ['server', 'update', 'moved', '--address', `${sshd.user}@localhost`, '--port', String(sshd.port)];
    const changed = await ada.json<Server>([...moved, '--key', file]);
    expect(changed).toMatchObject({ host: 'localhost', port: sshd.port, hasPassword: false, hasPrivateKey: true });
    expect(await ada.json(['server', 'test', 'moved'])).toMatchObject({ ok: true });
    await sshd.changeHostKey();
    expect((await ada.run(['server', 'test', 'moved'])).stderr).toContain(
      'pin its new key: mooring server update moved --forget-host-key (host_key_changed)',
    );
    const repinned = await ada.run(['server', 'update', 'moved', '--forget-host-key', '--key', file]);
    expect(repinned).toMatchObject({ code: 0, stderr: expect.stringContaining('pinned host key was removed') });
    expect(repinned.stderr).toContain('Test it with: mooring server test moved\n');
    expect(await ada.json(['server', 'test', 'moved'])).toMatchObject({ ok: true });
    const typist = new Typist(ada, ['server', 'update', 'moved', '--port', '1']);
    await typist.answer('Password', 'hunter2');
    expect(await typist.end()).toBe(0);
  });

  test('is added with a key from a file', async () => {
    const { privateKey, publicKey } = newSshKey('ada');
    const file = join(ada.home, 'id');
    writeFileSync(file, privateKey);
    sshd.allow(publicKey);
    const args = ['server', 'add', 'given', `${sshd.user}@127.0.0.1`, '--port', String(sshd.port), '--key', file];
    expect(await ada.json<Server>(args)).toMatchObject({ hasPrivateKey: true, publicKey });
    expect(await ada.json(['server', 'test', 'given'])).toMatchObject({ ok: true, rights: 'root' });
  });
});
