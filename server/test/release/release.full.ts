import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { buildRelease, type Release, releaseKey } from '../rig/release.ts';
import { startService } from '../rig/service.ts';

const checkout = resolve(import.meta.dirname, '../../..');
let release: Release;
let unpacked: string;
beforeAll(() => {
  release = buildRelease();
  const folder = newFolder('unpacked');
  execFileSync('tar', ['-xzf', join(release.folder, release.bundle), '-C', folder]);
  unpacked = join(folder, `mooring-${release.version}`);
}, 300_000);

/** The environment of a machine without Node: only programs that every Linux has. */
function withoutNode(): Record<string, string> {
  const path = newFolder('programs');
  for (const name of ['dirname', 'readlink', 'unshare', 'setpriv', 'mount'])
    symlinkSync(join('/usr/bin', name), join(path, name));
  return { PATH: path, HOME: '/nonexistent' };
}

test('two builds of one commit at different paths are byte-equal', () => {
  const key = releaseKey();
  const folders = ['a', 'another-place'].map((name) => {
    const clone = join(newFolder('clone'), name);
    execFileSync('git', ['clone', '--quiet', checkout, clone]);
    // Hard links where the file system has them: builds only read these files.
    if (spawnSync('cp', ['-al', join(checkout, 'node_modules'), clone]).status !== 0)
      execFileSync('cp', ['-a', join(checkout, 'node_modules'), clone]);
    return buildRelease({ checkout: clone, key, args: [] }).folder;
  });
  const [names, others] = folders.map((folder) => readdirSync(folder).toSorted());
  expect(names).toEqual(others);
  expect(names).toHaveLength(9);
  for (const name of names!) {
    const [one, other] = folders.map((folder) => readFileSync(join(folder, name)));
    expect(one!.equals(other!), name).toBe(true);
  }
}, 600_000);

test('the signature of the sums is verified by openssl', () => {
  const file = join(release.folder, `mooring-${release.version}.sha256`);
  const key = join(unpacked, 'release-key.pem');
  const verify = ['pkeyutl', '-verify', '-pubin', '-inkey', key, '-rawin', '-in', file, '-sigfile', `${file}.sig`];
  expect(execFileSync('openssl', verify, { encoding: 'utf8' })).toContain('Verified Successfully');
  execFileSync('sha256sum', ['--check', '--quiet', file], { cwd: release.folder });
  const installer = readFileSync(join(release.folder, 'install.sh'), 'utf8');
  expect(installer).toContain(readFileSync(key, 'utf8').trim());
  expect(readFileSync(join(unpacked, 'install.sh'), 'utf8')).toBe(installer);
});

test('the bundle runs on a machine without Node, and its versions agree', async () => {
  const bare = withoutNode();
  const { version } = release;
  expect(readFileSync(join(unpacked, 'VERSION'), 'utf8')).toBe(`${version}\n`);
  const printed = execFileSync(join(unpacked, 'bin/mooring'), ['--version'], { env: bare, encoding: 'utf8' });
  expect(printed.trim()).toBe(`mooring ${version}`);
  const program: [string, string] = [join(unpacked, 'bin/node'), join(unpacked, 'server/dist/main.js')];
  const service = await startService({ program, env: bare });
  try {
    expect(await (await service.get('/api/health')).json()).toMatchObject({ status: 'ok', version });
    expect(await (await service.get('/api/openapi.json')).json()).toMatchObject({ info: { version } });
    expect(await (await service.get('/')).text()).toContain('<div id="root">');
  } finally {
    await service.stop();
  }
});

test('the latest version names its changelog', () => {
  const read = (name: string) => readFileSync(join(release.folder, name), 'utf8');
  const { version } = release;
  expect(JSON.parse(read('latest.json'))).toEqual({ version, changelog: 'CHANGELOG.md' });
  expect(read('CHANGELOG.md')).toBe(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8'));
});

test('nothing of the building machine is in the bundle', () => {
  expect(spawnSync('grep', ['-rlF', checkout, unpacked], { encoding: 'utf8' }).stdout).toBe('');
});

test('a release needs a tag with a whole version', () => {
  const clone = join(newFolder('clone'), 'checkout');
  execFileSync('git', ['clone', '--quiet', checkout, clone]);
  const release = (...tags: string[]) => {
    for (const tag of tags) execFileSync('git', ['-C', clone, 'tag', tag]);
    const env = { PATH: process.env['PATH'], MOORING_RELEASE_KEY: releaseKey() };
    return spawnSync(process.execPath, [join(clone, 'scripts/release.mjs'), '--any-key'], { env, encoding: 'utf8' });
  };
  expect(release('v1.2').stderr).toContain('the tag v1.2 is not a version such as v1.2.3');
  // The clone has no tools to build with.
  expect(release('v1.2.3').stderr).toContain('the development tools are missing');
});

test('a release without the key of the project is refused', () => {
  const run = (env: Record<string, string>) =>
    spawnSync(process.execPath, [join(checkout, 'scripts/release.mjs')], {
      env: { PATH: process.env['PATH'], ...env },
      encoding: 'utf8',
    });
  expect(run({})).toMatchObject({ status: 1, stderr: expect.stringContaining('MOORING_RELEASE_KEY is missing') });
  expect(run({ MOORING_RELEASE_KEY: releaseKey() })).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('does not belong to install/release-key.pem'),
  });
});
