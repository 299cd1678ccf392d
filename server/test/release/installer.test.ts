import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseEnvironmentFile } from '../../src/operator/environment-file.ts';
import { newFolder } from '../rig/children.ts';

const folder = resolve(import.meta.dirname, '../../../install');
const installer = join(folder, 'install.sh');

test('the installer carries the key of the releases', () => {
  expect(readFileSync(installer, 'utf8')).toContain(readFileSync(join(folder, 'release-key.pem'), 'utf8'));
});

test('the scripts are valid for every shell, and options are checked', () => {
  for (const name of ['install.sh', 'mooring', 'container-entry.sh']) execFileSync('sh', ['-n', join(folder, name)]);
  const run = (...args: string[]) => spawnSync('sh', [installer, ...args], { encoding: 'utf8' });
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--with-docker') });
  expect(run('--nothing')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('there is no option --nothing'),
  });
  expect(run('--domain')).toMatchObject({ status: 1, stderr: 'install.sh: --domain needs a value\n' });
  expect(run('--domain', 'a b').stderr).toContain('--domain: must be a host name');
  expect(run('--public-address', 'router.example.com').stderr).toContain('--public-address: must be an IP address');
  expect(run('--runtime', 'podman').stderr).toContain('--runtime: must be docker or process');
});

/** Runs a script with the functions of the installer. */
function withFunctions(script: string): string {
  const functions = readFileSync(installer, 'utf8').replace('\nmain "$@"', '');
  return execFileSync('sh', ['-c', `${functions}\n${script}`], { encoding: 'utf8' });
}

test('a machine with IPv6 is recognized', () => {
  const table = '/proc/net/if_inet6';
  const hasAddress = existsSync(table) && readFileSync(table, 'utf8') !== '';
  expect(withFunctions('if has_ipv6; then echo yes; else echo no; fi')).toBe(hasAddress ? 'yes\n' : 'no\n');
});

test('a bundle is copied before it is verified', () => {
  const [from, work] = [newFolder('bundle'), newFolder('work')];
  const name = 'mooring-1.2.3-linux-x64.tar.gz';
  for (const each of [name, 'mooring-1.2.3.sha256', 'mooring-1.2.3.sha256.sig']) writeFileSync(join(from, each), each);
  const script = `arch=x64 bundle='${join(from, name)}' work='${work}'; get_bundle; echo "$archive"`;
  expect(withFunctions(script)).toBe(`${join(work, name)}\n`);
  expect(readFileSync(join(work, name), 'utf8')).toBe(name);
});

test('a damaged program is replaced by that of the bundle, and an intact one stays', () => {
  const [home, from] = [newFolder('home'), newFolder('bundle')];
  mkdirSync(join(from, 'mooring-1.2.3/bin'), { recursive: true });
  writeFileSync(join(from, 'mooring-1.2.3/bin/node'), 'node', { mode: 0o755 });
  writeFileSync(join(from, 'mooring-1.2.3/VERSION'), '1.2.3');
  const archive = join(from, 'bundle.tar.gz');
  execFileSync('tar', ['-C', from, '-czf', archive, 'mooring-1.2.3']);
  const unpack = () =>
    withFunctions(
      `version=1.2.3 home='${home}' archive='${archive}' link='${join(home, 'link')}' work='${newFolder('work')}'
       before_changes=none; unpack; echo "changes: $before_changes"`,
    );
  expect(unpack()).toBe('changes: none\n');
  const node = join(home, 'current/bin/node');
  const { ino } = statSync(node);
  // The updater's note is not in the bundle.
  writeFileSync(join(home, '1.2.3/.bundle-sha256'), 'digest');
  expect(unpack()).toBe('changes: none\n');
  expect(statSync(node).ino).toBe(ino);
  const damages = [
    () => writeFileSync(node, ''),
    () => chmodSync(node, 0o644),
    () => rmSync(join(home, '1.2.3/VERSION')),
    () => writeFileSync(join(home, '1.2.3/more'), 'more'),
    () => rmSync(join(home, '1.2.3/bin'), { recursive: true }),
  ];
  for (const damage of damages) {
    damage();
    expect(unpack()).toBe(`${join(home, '1.2.3')} differs from the bundle; replacing it\nchanges: \n`);
    expect(readFileSync(node, 'utf8')).toBe('node');
    expect(readdirSync(join(home, '1.2.3')).toSorted()).toEqual(['VERSION', 'bin']);
  }
});

test.runIf(process.getuid?.() === 0)('the service gets its own files only', () => {
  const data = newFolder('data');
  const own = ['', 'mooring.db', 'releases/r/app', 'volumes/p/main', 'volumes/p/main/.in-engine', 'binds/p/main'];
  const ofApps = ['volumes/p/main/files', 'volumes/p/main/files/a/b', 'binds/p/main/conf/key.pem', 'lost+found'];
  for (const path of [...own, ...ofApps]) mkdirSync(join(data, path), { recursive: true });
  const secret = join(newFolder('secret'), 'shadow');
  writeFileSync(secret, '');
  symlinkSync(secret, join(data, 'link'));
  withFunctions(`data='${data}'; PATH=.:$PATH; hand_over 0 65534`);
  const owner = (path: string) => lstatSync(join(data, path)).uid;
  expect([...own, 'link'].filter((path) => owner(path) !== 65_534)).toEqual([]);
  expect(ofApps.filter((path) => owner(path) !== 0)).toEqual([]);
  expect(statSync(secret).uid).toBe(0);
});

test('another data folder than that of the units is refused', () => {
  const settings = join(newFolder('settings'), 'mooring.env');
  const run = (value: string) => {
    writeFileSync(settings, `MOORING_DATA_DIR=${value}\n`);
    return withFunctions(`settings='${settings}'; (check_data_folder) 2>&1 || true`);
  };
  expect([run('/var/lib/mooring'), run('"/var/lib/mooring/"')]).toEqual(['', '']);
  expect(run('/srv/mooring')).toContain('has MOORING_DATA_DIR=/srv/mooring; an installed Mooring keeps its data in');
});

test('the installer does not depend on the umask of root', () => {
  const script = 'umask 077; parse() { umask; exit; }; main';
  expect(withFunctions(script)).toBe('0022\n');
});

test('the units name only files that a bundle or the installer creates', () => {
  const units = join(folder, 'units');
  const text = readdirSync(units)
    .map((name) => readFileSync(join(units, name), 'utf8'))
    .join('\n');
  const paths = new Set(text.match(/(?<=[=| ])\/(?:opt|etc|var)\/\S+/g));
  expect([...paths].toSorted()).toEqual([
    '/etc/mooring/mooring.env',
    '/opt/mooring/current/bin/mooring',
    '/opt/mooring/current/bin/node',
    '/opt/mooring/current/server/dist/main.js',
    '/var/lib/mooring',
    '/var/lib/mooring-update/journal.json',
    '/var/lib/mooring/update-request.json',
  ]);
});

test('the settings file is read as systemd reads it', () => {
  expect(parseEnvironmentFile('# no\n; no\nA=1\nB="two words"\nC=\'$x\'\n\nD=a b \n')).toEqual({
    A: '1',
    B: 'two words',
    C: '$x',
    D: 'a b',
  });
});
