import { isBundled, phpExtensions } from '../../detect/php/extensions.ts';
import type { Detection } from '../../detect/detect.ts';
import type { BaseStage, DockerApp, Toolchain } from '../dockerfile.ts';
import { versionTag } from '../instructions.ts';
import { atLeast } from './debian.ts';
import { withNode } from './with-node.ts';

const home = '/var/www/html';

export const phpToolchain: Toolchain = {
  languages: ['php'],
  plan(app) {
    const { found, build } = app;
    const version = versionTag(found.languageVersion, '8.4');
    const base: BaseStage = { image: 'base', isArchived: !atLeast(version, '8.0') };
    // The newest Composer needs PHP 7.2.
    const composer = versionTag(found.packageManagerVersion, atLeast(version, '7.2') ? '2' : '2.2');
    const withComposer: BaseStage = {
      ...base,
      copies: [[`composer:${composer}`, '/usr/bin/composer', '/usr/local/bin/composer']],
      packages: ['git', 'unzip'],
      environment: { COMPOSER_ALLOW_SUPERUSER: '1' },
    };
    const builder = found.packageManager === 'composer' ? withComposer : base;
    const hasAssets = found.otherLanguages.includes('javascript');
    return {
      base: { ...extended(version, found), isArchived: base.isArchived === true },
      build: hasAssets ? withNode(builder, build, found.nodeVersion) : builder,
      run: {
        ...base,
        commands: [serve(app)],
        // Its default is development, whose packages are not installed.
        ...(found.framework === 'symfony' && { environment: { APP_ENV: 'prod' } }),
      },
      caches: { composer: '/root/.composer/cache' },
      leftovers: hasAssets ? ['node_modules'] : [],
      directory: home,
      start: 'apache2-foreground',
    };
  },
};

type Configured = { name: string; release: string | undefined; isOfPhp: boolean };

/** Returns PHP with its extensions, which are compiled once for the build and the app. */
function extended(version: string, found: Detection): BaseStage {
  const extensions = found.extensions.flatMap((each): Configured[] => {
    const [name = '', release] = each.split('@');
    const known = Object.hasOwn(phpExtensions, name) ? phpExtensions[name] : undefined;
    const isRelease = release === undefined || known?.pecl?.some(([listed]) => listed === release);
    return known && isRelease ? [{ name, release, isOfPhp: isBundled(known, version) }] : [];
  });
  const ofPhp = extensions.filter(({ isOfPhp }) => isOfPhp).map(({ name }) => name);
  const ofPecl = extensions.filter(({ isOfPhp }) => !isOfPhp);
  // The image contains OPcache, but older ones do not load it.
  const compiled = ofPhp.filter((name) => name !== 'opcache');
  const configure = compiled.flatMap((name) => optionsOf(name, version) ?? []);
  const enabled = [...ofPecl.map(({ name }) => name), ...ofPhp.filter((name) => name === 'opcache')];
  // Debian 13 has no library for imap.
  const suite = extensions.some(({ name }) => name === 'imap') && atLeast(version, '8.1') ? '-bookworm' : '';
  return {
    image: `php:${version}-apache${suite}`,
    packages: extensions.flatMap(({ name }) => phpExtensions[name]!.packages ?? []).map((name) => named(name, version)),
    commands: [
      ...(compiled.length
        ? [[...configure, `docker-php-ext-install -j"$(nproc)" ${compiled.join(' ')}`].join(' && ')]
        : []),
      ...(enabled.length
        ? [
            [
              ...ofPecl.map(({ name, release }) => peclInstall(name, release)),
              `docker-php-ext-enable ${enabled.join(' ')}`,
            ].join(' && '),
          ]
        : []),
    ],
  };
}

/** Older releases of Debian lack the newer name. */
const named = (name: string, php: string) =>
  name === 'libfreetype-dev' && !atLeast(php, '7.3') ? 'libfreetype6-dev' : name;

function optionsOf(name: string, php: string): string | undefined {
  const libraries = '--with-libdir="lib/$(dpkg-architecture -q DEB_BUILD_MULTIARCH)"';
  const ofImages = atLeast(php, '7.4')
    ? '--with-freetype --with-jpeg --with-webp'
    : '--with-freetype-dir=/usr --with-jpeg-dir=/usr --with-png-dir=/usr --with-webp-dir=/usr';
  const options: Record<string, string> = {
    gd: ofImages,
    imap: '--with-kerberos --with-imap-ssl',
    ldap: libraries,
    pdo_dblib: libraries,
  };
  return Object.hasOwn(options, name) ? `docker-php-ext-configure ${name} ${options[name]}` : undefined;
}

/** The installer asks for options; empty lines answer with the defaults. */
function peclInstall(name: string, release: string | undefined): string {
  const options = name === 'imap' ? ` -D 'with-kerberos="yes" with-imap-ssl="yes"'` : '';
  return `yes '' | pecl install${options} ${name}${release ? `-${release}` : ''}`;
}

/** Configures Apache to serve the detected folder at `PORT`, without root. */
function serve({ found }: DockerApp): string {
  const [, served = '', script = 'index.php'] =
    /\s-t ([\w./-]+)(?: [\w./-]*\/([\w-]+\.php))?$/.exec(found.startCommand ?? '') ?? [];
  const folder = found.framework === 'laravel' ? 'public' : served;
  const root = folder ? ` -e 's!${home}!${home}/${folder}!'` : '';
  // Such folders and frameworks have one script for all paths, often without the .htaccess that says so.
  const isFrontController = folder !== '' || (found.framework !== 'php' && found.framework !== null);
  const config = '/etc/apache2/conf-enabled/front-controller.conf';
  return [
    `sed -i 's!Listen 80$!Listen \${PORT}!' /etc/apache2/ports.conf`,
    `sed -i -e 's!:80>!:\${PORT}>!'${root} /etc/apache2/sites-available/000-default.conf`,
    ...(isFrontController ? [`echo 'FallbackResource /${script}' > ${config}`] : []),
    ...(script === 'index.php' ? [] : [`echo 'DirectoryIndex ${script}' >> ${config}`]),
    'a2enmod rewrite',
  ].join(' && ');
}
