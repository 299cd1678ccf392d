import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import type { EngineClient } from '../../src/drivers/runtime/docker/engine/client.ts';
import { newFolder } from './children.ts';
import { installedPackages } from './debian-files.ts';
import { certificates, debian, type ImageParts, makeImage, nodeForBuilds } from './docker-images.ts';

// Stand-ins for the base images of generated Dockerfiles: the usual programs in the usual places, in Debian's
// versions.

type StandIn = Omit<ImageParts, 'name'> & { packages: string[] };

/** Debian's folders of packages that these tools would download. */
const mavenFiles = '/usr/share/maven-repo';
const compiler = ['gcc', 'libc6-dev'];

const suites = ['debian bookworm', 'debian bookworm-updates', 'debian-security bookworm-security'];
/** Essential packages, which others therefore do not depend on. */
const essential = ['base-passwd', 'bsdutils', 'debconf', 'debianutils', 'diffutils', 'init-system-helpers'].concat([
  'ncurses-bin',
  'perl-base',
  'sysvinit-utils',
]);

export const debianWithApt = (wayOut: string): StandIn => ({
  ...debian,
  packages: [...debian.packages!, ...essential],
  hasPackageManager: true,
  files: {
    '/etc/apt/sources.list': `${suites.map((suite) => `deb http://deb.debian.org/${suite} main`).join('\n')}\n`,
    '/etc/apt/apt.conf.d/rig': `Acquire::http::Proxy "${wayOut}";\nAPT::Sandbox::User "root";\n`,
  },
});

const enabled = (kind: string, names: string[]) =>
  Object.fromEntries(
    names.map((name) => [`/etc/apache2/${kind}-enabled/${name}`, `../${kind}-available/${name}`] as const),
  );

const modules = ['mpm_prefork', 'php8.2', 'dir', 'mime', 'alias'].flatMap((name) => [`${name}.load`, `${name}.conf`]);

/** Apache with PHP, runnable by any user, and stubs for the scripts that compile extensions. */
const php: Partial<ImageParts> = {
  packages: ['apache2', 'libapache2-mod-php', 'perl', 'php-cli', 'composer', 'sgml-base'].concat(
    ['bcmath', 'gd', 'intl', 'mysql', 'pgsql', 'zip'].map((name) => `php-${name}`),
  ),
  copies: { '/etc/php': '/etc/php', '/etc/ca-certificates.conf': '/etc/ca-certificates.conf' },
  files: {
    '/usr/local/bin/apache2-foreground': '#!/bin/sh\nset -e\n. /etc/apache2/envvars\nexec apache2 -DFOREGROUND "$@"\n',
    '/usr/local/bin/docker-php-ext-configure': '#!/bin/sh\n',
    '/usr/local/bin/docker-php-ext-enable': '#!/bin/sh\n',
    '/usr/local/bin/docker-php-ext-install':
      '#!/bin/sh\nset -e\nfor name; do case "$name" in -*) ;; *) php -m | grep -iq "^\\(zend \\)\\?$name$" ;; esac; done\n',
    '/etc/apache2/conf-enabled/docker-php.conf': [
      'ServerName localhost',
      'ErrorLog /dev/stderr',
      '<Directory /var/www/>\nAllowOverride All\n</Directory>',
      'DirectoryIndex index.php index.html\n',
    ].join('\n'),
  },
  links: {
    ...enabled('mods', [...modules, 'authz_core.load', 'authz_host.load', 'env.load']),
    ...enabled('sites', ['000-default.conf']),
    '/var/run': '/run',
    '/var/lock': '/run/lock',
    '/usr/local/share/php': '/usr/share/php',
  },
  writable: ['/run/apache2', '/run/lock/apache2', '/var/log/apache2', '/etc/sgml', '/var/lib/sgml-base'],
};

/** The contents of each image besides Debian: packages, and files in other places than Debian's. */
const languages: Record<string, Partial<ImageParts>> = {
  debian: {},
  python: {
    packages: ['python3', 'python3-pip', 'python3-venv', 'pipenv'],
    // It would keep pip from installing packages.
    without: ['/usr/lib/python3.11/EXTERNALLY-MANAGED'],
    links: { '/usr/local/bin/python': '/usr/bin/python3', '/usr/local/bin/python3': '/usr/bin/python3' },
  },
  golang: {
    packages: ['golang-go', ...compiler],
    changes: ['ENV GOPATH=/go GOTOOLCHAIN=local GOFLAGS=-buildvcs=false'],
  },
  rust: { packages: ['rustc', 'cargo', ...compiler], changes: ['ENV CARGO_HOME=/usr/local/cargo'] },
  ruby: {
    packages: ['ruby', 'ruby-dev', 'bundler', 'make', ...compiler],
    changes: [
      'ENV LANG=C.UTF-8 GEM_HOME=/usr/local/bundle BUNDLE_APP_CONFIG=/usr/local/bundle BUNDLE_SILENCE_ROOT_WARNING=1',
    ],
  },
  perl: { packages: ['perl', 'cpanminus', 'libmojolicious-perl', 'libplack-perl'] },
  elixir: { packages: ['elixir', 'erlang-dev'], changes: ['ENV LANG=C.UTF-8'] },
  'nimlang/nim': { packages: ['nim', ...compiler] },
  maven: {
    packages: ['maven', 'default-jdk-headless'].concat(
      ['maven-compiler-plugin', 'maven-jar-plugin', 'maven-resources-plugin', 'surefire'].map(
        (name) => `lib${name}-java`,
      ),
    ),
    files: {
      '/etc/maven/settings.xml': `<settings><localRepository>${mavenFiles}</localRepository><offline>true</offline></settings>`,
    },
  },
  gradle: { packages: ['gradle', 'default-jdk-headless'] },
  clojure: {
    packages: ['leiningen', 'default-jdk-headless'],
    files: { '/root/.lein/profiles.clj': `{:user {:offline? true :local-repo "${mavenFiles}"}}` },
  },
  'ghcr.io/gohugoio/hugo': { packages: ['hugo'], changes: ['USER nobody'] },
  php,
  composer: { packages: ['composer'] },
  'eclipse-temurin': { packages: ['default-jdk-headless'] },
};

/** Programs that the image requires and this machine lacks; undefined for an unknown image. */
export function missingFor(image: string): string[] | undefined {
  const repository = image.split(':')[0]!;
  if (repository === 'node' || Object.hasOwn(npmPrograms, repository)) return [];
  if (!Object.hasOwn(languages, repository)) return undefined;
  const installed = installedPackages();
  return (languages[repository]!.packages ?? []).filter((name) => !installed.has(name));
}

/** The download sources of images: a proxy, whether npm's registry responds, and a folder of wheels in place of
 * PyPI. */
type Sources = { wayOut: string; hasRegistry: boolean; wheels?: string | undefined };

/** Creates stand-ins for these images. */
export async function makeStandIns(client: EngineClient, images: Iterable<string>, sources: Sources): Promise<void> {
  const names = Map.groupBy(new Set(images), (image) => image.split(':')[0]!);
  for (const [repository, [first = '', ...others]] of names) {
    const id = await makeImage(client, { ...partsOf(repository, sources), name: tagged(first) });
    for (const name of others) {
      const [repo = '', tag = 'latest'] = name.split(':');
      await client.json({ method: 'POST', path: `/images/${id}/tag`, query: { repo, tag } });
    }
  }
}

/** Runtimes that are also npm packages. */
const npmPrograms: Record<string, { package: string; program: string }> = {
  'oven/bun': { package: `@oven/bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, program: 'bin/bun' },
  'denoland/deno': { package: `@deno/linux-${process.arch}-glibc`, program: 'deno' },
};

function npmProgram(repository: string): Partial<ImageParts> {
  const { package: name, program } = npmPrograms[repository]!;
  return {
    programs: { [`/usr/local/bin/${basename(program)}`]: join(npmPackage(name), program) },
    changes: [`ENV NODE_EXTRA_CA_CERTS=${certificates}`],
  };
}

/** Node as in its image: with Yarn 1, if it can be downloaded. */
function node(hasRegistry: boolean): Partial<ImageParts> {
  const parts = nodeForBuilds();
  if (!hasRegistry) return parts;
  const yarn = { '/usr/local/bin/yarn': '/opt/yarn/bin/yarn.js' };
  return {
    ...parts,
    copies: { ...parts.copies, '/opt/yarn': npmPackage('yarn@1') },
    links: { ...parts.links, ...yarn },
  };
}

/** The unpacked files of a package. */
function npmPackage(name: string): string {
  const folder = newFolder('package');
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder, name], { encoding: 'utf8' });
  execFileSync('tar', ['-xzf', join(folder, packed.trim().split('\n').at(-1)!), '-C', folder]);
  return join(folder, 'package');
}

const wheelFolder = '/usr/local/share/wheels';

const tagged = (image: string) => (image.includes(':') ? image : `${image}:latest`);

function partsOf(repository: string, sources: Sources): StandIn {
  const { wayOut, wheels } = sources;
  const base = debianWithApt(wayOut);
  const own = repository === 'node' ? node(sources.hasRegistry) : (languages[repository] ?? npmProgram(repository));
  return {
    ...base,
    ...own,
    packages: [...base.packages, ...(own.packages ?? [])],
    copies: { ...base.copies, ...own.copies, ...(wheels && { [wheelFolder]: wheels }) },
    files: { ...base.files, ...own.files, '/etc/pip.conf': `[global]\nno-index = true\nfind-links = ${wheelFolder}\n` },
    links: { ...base.links, ...own.links },
    changes: [...(own.changes ?? []), `ENV HTTPS_PROXY=${wayOut} https_proxy=${wayOut}`],
  };
}
