// An S3 with IAM for the tests. Debian has it only in its newest suite, so the programs are fetched from there and unpacked
// into a folder of ours: nothing of that suite gets into the system.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './paths.mjs';
import { run } from './run.mjs';

const folder = join(root, 'node_modules/.cache/moto');
const suite = 'sid';
const mirror = 'http://deb.debian.org/debian';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const names = 'moto botocore boto3 s3transfer jmespath responses werkzeug flask flask-cors antlr4 itsdangerous blinker';
const packages = names.split(' ').map((name) => `python3-${name}`);

/** What the system's own suite has of what it needs. */
export const motoPackages = 'cryptography requests urllib3 xmltodict jinja2 click dateutil yaml'
  .split(' ')
  .map((name) => `python3-${name}`);
export const motoLibraries = join(folder, 'usr/lib/python3/dist-packages');

/** Whether it is there and goes with the Python of this machine. */
export const hasMoto = () =>
  existsSync(motoLibraries) &&
  spawnSync('python3', ['-c', 'import moto.server'], { env: { PYTHONPATH: motoLibraries } }).status === 0;

export async function installMoto() {
  const quiet = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  await run('apt-get', ['update', '-qq'], quiet);
  await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...motoPackages], quiet);
  const state = mkdtempSync(join(tmpdir(), 'mooring-moto-'));
  try {
    for (const each of ['lists/partial', 'cache/archives/partial', 'packages'])
      mkdirSync(join(state, each), { recursive: true });
    writeFileSync(join(state, 'sources.list'), `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`);
    writeFileSync(join(state, 'status'), '');
    const options = [
      `Dir::Etc::sourcelist=${state}/sources.list`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${state}/lists`,
      `Dir::State::status=${state}/status`,
      `Dir::Cache=${state}/cache`,
      'APT::Sandbox::User=root',
      'Acquire::Languages=none',
      'Acquire::Check-Valid-Until=false',
    ].flatMap((option) => ['-o', option]);
    await run('apt-get', [...options, '-qq', 'update'], quiet);
    await run('apt-get', [...options, '-qq', 'download', ...packages], { ...quiet, cwd: join(state, 'packages') });
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(join(state, 'packages')))
      await run('dpkg', ['-x', join(state, 'packages', name), folder], quiet);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
