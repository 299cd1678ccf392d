// Fetches programs that only Debian's newest suite has and unpacks them into our own folder, so that nothing of that
// suite is installed into the system.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quietly } from './apt.mjs';
import { run } from './run.mjs';

const suite = 'sid';
const mirror = 'http://deb.debian.org/debian';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Unpacks the packages into the folder, without their dependencies. */
export async function unpackFromSid(folder, packages) {
  const state = mkdtempSync(join(tmpdir(), 'mooring-sid-'));
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
    await run('apt-get', [...options, '-qq', 'update'], quietly);
    await run('apt-get', [...options, '-qq', 'download', ...packages], { ...quietly, cwd: join(state, 'packages') });
    mkdirSync(folder, { recursive: true });
    for (const name of readdirSync(join(state, 'packages')))
      await run('dpkg', ['-x', join(state, 'packages', name), folder], quietly);
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
