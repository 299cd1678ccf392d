// The real programs that tests use: installs missing ones (as root on Debian), or reports them and skips their tests.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './apt.mjs';
import { composeProgram, installCompose } from './compose.mjs';
import { hasMoto, installMoto, motoPackages } from './moto.mjs';
import { root } from './paths.mjs';
import { run } from './run.mjs';

const openapiFolder = join(root, 'server/test/github-openapi');

const parts = {
  postgres: {
    packages: ['postgresql'],
    present: () => existsSync('/usr/lib/postgresql') && readdirSync('/usr/lib/postgresql').length > 0,
    suites: 'everything on PostgreSQL',
  },
  sshd: {
    packages: ['openssh-server'],
    // sshd drops privileges, and gets users in a private namespace.
    present: () => mayMakeNamespaces() && existsSync('/usr/sbin/sshd'),
    suites: 'everything over SSH',
    able: () => mayMakeNamespaces(),
  },
  chromium: {
    packages: ['chromium'],
    present: () => existsSync('/usr/bin/chromium'),
    suites: 'the pages in a browser',
  },
  // Only the programs: each suite starts its own engine in its own network.
  docker: {
    packages: ['docker.io', 'iptables', 'iproute2', 'busybox-static'],
    present: () =>
      mayMakeNamespaces() &&
      ['/usr/sbin/dockerd', '/usr/sbin/iptables', '/usr/sbin/ip', '/usr/bin/busybox'].every(existsSync),
    suites: 'everything on a Docker engine',
    able: () => mayMakeNamespaces(),
  },
  pebble: {
    packages: ['pebble'],
    present: () => ['/usr/bin/pebble', '/usr/bin/pebble-challtestsrv'].every(existsSync),
    suites: 'certificates of a real authority',
  },
  // Machines of namespaces, with systemd as process 1.
  systemd: {
    packages: ['mmdebstrap', 'iproute2'],
    present: () => mayMakeNamespaces() && ['/usr/bin/mmdebstrap', '/usr/sbin/ip'].every(existsSync),
    suites: 'the installation on a machine with systemd',
    able: () => mayMakeNamespaces(),
    onlyFull: true,
  },
  registry: {
    packages: ['docker-registry', 'openssl'],
    present: () => ['/usr/bin/docker-registry', '/usr/bin/openssl'].every(existsSync),
    suites: 'images from a registry',
    onlyFull: true,
  },
  // Only packed into an image, never run here.
  redis: {
    packages: ['redis-server'],
    present: () => ['/usr/bin/redis-server', '/usr/bin/redis-cli'].every(existsSync),
    suites: 'several services with a real PostgreSQL and a real Redis',
    onlyFull: true,
  },
  mariadb: {
    packages: ['mariadb-server-core', 'mariadb-client'],
    present: () => ['/usr/sbin/mariadbd', '/usr/bin/mariadb-dump'].every(existsSync),
    suites: 'backups of MariaDB',
    onlyFull: true,
  },
  age: {
    packages: ['age', 'zstd'],
    present: () => ['/usr/bin/age', '/usr/bin/zstd'].every(existsSync),
    suites: "backups read by Debian's own tools",
  },
  // Compilers and interpreters, mostly packed into images.
  languages: {
    packages: [
      'gcc libc6-dev make python3 python3-pip python3-venv pipenv perl golang-go rustc cargo nim',
      'python3-django python3-gunicorn python3-whitenoise',
      'ruby ruby-dev bundler elixir erlang-dev hugo cpanminus libmojolicious-perl libplack-perl',
      'apache2 libapache2-mod-php php-cli php-bcmath php-gd php-intl php-mysql php-pgsql php-zip composer sgml-base',
      'default-jdk-headless maven gradle leiningen libmaven-compiler-plugin-java libmaven-jar-plugin-java',
      'libmaven-resources-plugin-java libsurefire-java',
    ].flatMap((line) => line.split(' ')),
    present: () => spawnSync('dpkg-query', ['--show', ...parts.languages.packages], { stdio: 'ignore' }).status === 0,
    suites: 'apps in some languages (the suite names them)',
    onlyFull: true,
    // Packages that this Debian lacks are skipped; the others are tested.
    isInParts: true,
  },
  swift: {
    packages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'],
    present: () =>
      isRoot() &&
      ['proxy', 'account', 'container', 'object'].every((name) => existsSync(`/usr/bin/swift-${name}-server`)),
    suites: 'storage on a real S3',
    onlyFull: true,
  },
  compose: {
    packages: ['docker-compose, of sid'],
    present: () => existsSync(composeProgram),
    suites: 'stacks that Docker Compose itself has started',
    install: () => installCompose(),
    able: () => canInstall(),
    onlyFull: true,
  },
  moto: {
    packages: ['python3-moto and what it needs, of sid', ...motoPackages],
    present: () => hasMoto(),
    suites: 'storage on an S3 with IAM',
    install: () => installMoto(),
    asRoot: true,
    able: () => canInstall(),
    onlyFull: true,
  },
  proftpd: {
    packages: ['proftpd-basic', 'proftpd-mod-crypto', 'openssl'],
    present: () => isRoot() && existsSync('/usr/sbin/proftpd') && existsSync('/usr/lib/proftpd/mod_sftp.so'),
    suites: 'storage on another SFTP server than OpenSSH',
    onlyFull: true,
  },
  haproxy: {
    packages: ['haproxy'],
    present: () => existsSync('/usr/sbin/haproxy'),
    suites: 'replicas of the service behind a load balancer',
    onlyFull: true,
  },
  gh: {
    packages: ['gh', 'openssl'],
    present: () => ['/usr/bin/gh', '/usr/bin/openssl'].every(existsSync) && isRoot(),
    suites: "GitHub's own program",
    onlyFull: true,
  },
  // Half a gigabyte, so it is not a regular dependency.
  prism: {
    packages: ['@stoplight/prism-cli', '@octokit/openapi'],
    present: () => existsSync(join(openapiFolder, 'node_modules/@stoplight/prism-cli/dist/index.js')),
    suites: "requests held against GitHub's description of its API",
    install: () =>
      run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: openapiFolder }),
    onlyFull: true,
  },
};

export const allParts = Object.keys(parts);

const isRoot = () => process.getuid?.() === 0;
/** Root in an unprivileged container is not enough. */
const mayMakeNamespaces = () => isRoot() && spawnSync('unshare', ['--net', '--mount', 'true']).status === 0;
const canInstall = () => isRoot() && existsSync('/usr/bin/apt-get');

/** The packages that can be installed. */
function available(packages) {
  const { stdout } = spawnSync('apt-cache', ['policy', ...packages], { encoding: 'utf8' });
  const known = new Set(
    [...(stdout ?? '').matchAll(/^(\S+):\n.*\n +Candidate: (?!\(none\))/gm)].map((match) => match[1]),
  );
  return packages.filter((name) => known.has(name));
}

/** Returns the names of the unavailable parts. */
export async function setUpParts({ full }) {
  const wanted = Object.keys(parts).filter((name) => full || !parts[name].onlyFull);
  const missing = () => wanted.filter((name) => !parts[name].present());
  const able = missing().filter((name) => parts[name].able?.() ?? true);
  // Failures are reported afterwards.
  for (const name of able.filter((each) => parts[each].install)) {
    console.log(installLine(name));
    await parts[name].install().catch((error) => console.log(error.message));
  }
  const toInstall = able.filter((name) => !parts[name].install);
  if (toInstall.length && canInstall()) {
    for (const name of toInstall) console.log(installLine(name));
    const packages = toInstall.flatMap((name) =>
      parts[name].isInParts ? available(parts[name].packages) : parts[name].packages,
    );
    await installPackages(packages);
  }
  return missing();
}

const installLine = (name) => {
  const { packages, suites, install, asRoot = !install } = parts[name];
  const how = asRoot ? 'with apt-get as root' : 'into this checkout';
  return `Installing ${name} ${how} (${packages.join(', ')}), which is needed for ${suites}`;
};

export const leftOut = (names) =>
  names.map((name) => {
    const { suites, packages, able = () => true } = parts[name];
    const why = able()
      ? `is not on this machine (${packages.join(', ')})`
      : 'needs a root that may make namespaces, on Debian';
    return `LEFT OUT: ${suites}, because ${name} ${why}`;
  });
