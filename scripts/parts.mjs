// The real programs that tests talk to: what is missing is installed (as root on Debian), or named and left out.
import { existsSync, readdirSync } from 'node:fs';
import { run } from './run.mjs';

const parts = {
  postgres: {
    packages: ['postgresql'],
    present: () => existsSync('/usr/lib/postgresql') && readdirSync('/usr/lib/postgresql').length > 0,
    suites: 'everything on PostgreSQL',
  },
  chromium: {
    packages: ['chromium'],
    present: () => existsSync('/usr/bin/chromium'),
    suites: 'the pages in a browser',
  },
  // The programs alone: each suite starts an engine of its own, which only root can.
  docker: {
    packages: ['docker.io', 'iptables', 'iproute2', 'busybox-static'],
    present: () => isRoot() && ['/usr/sbin/dockerd', '/usr/sbin/iptables', '/usr/bin/busybox'].every(existsSync),
    suites: 'everything on a Docker engine',
    needsRoot: true,
  },
  registry: {
    packages: ['docker-registry', 'openssl'],
    present: () => ['/usr/bin/docker-registry', '/usr/bin/openssl'].every(existsSync),
    suites: 'images from a registry',
  },
};

const isRoot = () => process.getuid?.() === 0;
const canInstall = () => isRoot() && existsSync('/usr/bin/apt-get');

/** Gives the names of the parts that are not to be had here. */
export async function setUpParts() {
  const missing = () => Object.keys(parts).filter((name) => !parts[name].present());
  if (missing().length && canInstall()) {
    console.log(`Installing for the tests: ${missing().join(', ')} ...`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const quiet = { env, stdio: ['ignore', 'ignore', 'inherit'] };
    await run('apt-get', ['update', '-qq'], quiet);
    // Only the programs: a server that the package would start is not what the tests use.
    await run(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', ...missing().flatMap((name) => parts[name].packages)],
      quiet,
    );
  }
  return missing();
}

export const leftOut = (names) =>
  names.map((name) => {
    const { suites, packages, needsRoot } = parts[name];
    const why = needsRoot && !isRoot() ? 'needs root' : `is not on this machine (${packages.join(', ')})`;
    return `LEFT OUT: ${suites}, because ${name} ${why}`;
  });
