// Packages of this Debian's own suite.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { run } from './run.mjs';

export const quietly = {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
};

const policy = '/usr/sbin/policy-rc.d';

/** Keeps packages from starting servers (such as sshd on its default port) that would outlive the tests. */
async function withoutServers(install) {
  if (existsSync(policy)) return install();
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return await install();
  } finally {
    rmSync(policy);
  }
}

/** A new machine often updates itself at first, so this waits for the lock. */
const patient = ['-qq', '-o', 'DPkg::Lock::Timeout=300'];

/** Installs packages. Needs root. */
export async function installPackages(packages) {
  await run('apt-get', [...patient, 'update'], quietly);
  await withoutServers(() =>
    run('apt-get', [...patient, 'install', '-y', '--no-install-recommends', ...packages], quietly),
  );
}
