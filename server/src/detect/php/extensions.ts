import { rangeAllows } from '../version-range.ts';
import type { ComposerProject } from './composer.ts';

/** How an extension that the official image lacks gets there. */
export interface PhpExtension {
  /** Debian packages with its headers and libraries. */
  packages?: string[];
  /** Versions of PHP whose image has it already. */
  included?: string;
  /** Versions of PHP whose source contains it; all if omitted. */
  bundled?: string;
  /**
   * Releases of PECL, newest first, each with the oldest PHP that it supports. The first is installed without a
   * version, so its number is only what it must satisfy.
   */
  pecl?: [release: string, php: string][];
}

/** Extensions of the official image. */
const included = new Set(
  ['core', 'ctype', 'curl', 'date', 'dom', 'fileinfo', 'filter', 'hash', 'iconv', 'json', 'libxml', 'mbstring'].concat(
    ['mysqlnd', 'openssl', 'pcre', 'pdo', 'pdo_sqlite', 'phar', 'posix', 'random', 'readline', 'reflection', 'session'],
    [
      'simplexml',
      'sodium',
      'spl',
      'sqlite3',
      'standard',
      'tokenizer',
      'xml',
      'xmlreader',
      'xmlwriter',
      'zlib',
      'mhash',
    ],
  ),
);

/** For extensions whose releases need not be told apart. */
const anyRelease = 'any';

const pecl = (packages: string[], ...releases: [string, string][]): PhpExtension => ({
  packages,
  bundled: '<1',
  pecl: releases.length ? releases : [[anyRelease, '7.0']],
});

export const phpExtensions: Record<string, PhpExtension> = {
  bcmath: {},
  bz2: { packages: ['libbz2-dev'] },
  calendar: {},
  dba: {},
  enchant: { packages: ['libenchant-2-dev'] },
  exif: {},
  ffi: { packages: ['libffi-dev'] },
  ftp: { included: '<8.2' },
  gd: { packages: ['libfreetype-dev', 'libjpeg-dev', 'libpng-dev', 'libwebp-dev'] },
  gettext: {},
  gmp: { packages: ['libgmp-dev'] },
  imap: { packages: ['libc-client-dev', 'libkrb5-dev'], bundled: '<=8.3', pecl: [[anyRelease, '8.4']] },
  intl: { packages: ['libicu-dev'] },
  ldap: { packages: ['libldap2-dev'] },
  mysqli: {},
  opcache: { included: '>=8.5' },
  pcntl: {},
  pdo_dblib: { packages: ['freetds-dev'] },
  pdo_mysql: {},
  pdo_pgsql: { packages: ['libpq-dev'] },
  pgsql: { packages: ['libpq-dev'] },
  pspell: { packages: ['libpspell-dev'], bundled: '<=8.3', pecl: [[anyRelease, '8.4']] },
  shmop: {},
  snmp: { packages: ['libsnmp-dev'] },
  soap: { packages: ['libxml2-dev'] },
  sockets: {},
  sysvmsg: {},
  sysvsem: {},
  sysvshm: {},
  tidy: { packages: ['libtidy-dev'] },
  xmlrpc: { packages: ['libxml2-dev'], bundled: '<=7.4' },
  xsl: { packages: ['libxslt1-dev'] },
  zip: { packages: ['libzip-dev', 'zlib1g-dev'] },
  amqp: pecl(['librabbitmq-dev'], ['2', '7.4'], ['1.11.0', '5.6']),
  apcu: pecl([], ['5', '7.0']),
  ast: pecl([]),
  ds: pecl([], ['2', '8.2'], ['1.6.0', '7.4'], ['1.4.0', '7.3'], ['1.3.0', '7.0']),
  event: pecl(['libevent-dev', 'libssl-dev']),
  grpc: pecl(['zlib1g-dev']),
  igbinary: pecl([]),
  imagick: pecl(['libmagickwand-dev'], ['3', '5.6']),
  inotify: pecl([]),
  mailparse: pecl([], ['3', '7.3'], ['3.1.3', '7.0']),
  mcrypt: { packages: ['libmcrypt-dev'], bundled: '<=7.1', pecl: [['1', '7.2']] },
  memcache: pecl(['zlib1g-dev'], ['8', '8.0'], ['4.0.5.2', '7.0']),
  memcached: pecl(['libmemcached-dev', 'libssl-dev', 'zlib1g-dev'], ['3', '7.0']),
  mongodb: pecl(
    ['libssl-dev'],
    ['2', '8.1'],
    ['1.21.0', '8.1'],
    ['1.20.1', '7.4'],
    ['1.16.2', '7.2'],
    ['1.11.1', '7.1'],
    ['1.9.2', '7.0'],
  ),
  msgpack: pecl([]),
  oauth: pecl([]),
  pcov: pecl([]),
  protobuf: pecl([], [anyRelease, '8.2'], ['4.33.5', '8.1'], ['3.25.3', '8.0'], ['3.24.4', '7.0']),
  rdkafka: pecl(['librdkafka-dev']),
  redis: pecl([], ['6', '7.4'], ['6.0.2', '7.2'], ['5.3.7', '7.0']),
  ssh2: pecl(['libssh2-1-dev']),
  swoole: pecl(['libssl-dev'], ['6', '8.2'], ['5.1.8', '8.0'], ['4.8.11', '7.2'], ['4.5.10', '7.1']),
  uploadprogress: pecl([]),
  uuid: pecl(['uuid-dev']),
  yaml: pecl(['libyaml-dev'], ['2', '7.1']),
};

/** Extensions that packages use without requiring them; without a lock file, also those that they require. */
const needed: Record<string, string[]> = {
  'drupal/core': ['gd'],
  'drupal/core-recommended': ['gd'],
  'endroid/qr-code': ['gd'],
  'intervention/image': ['exif', 'gd'],
  'jenssegers/mongodb': ['mongodb'],
  'laravel/horizon': ['pcntl'],
  'maatwebsite/excel': ['gd'],
  'mongodb/laravel-mongodb': ['mongodb'],
  'mongodb/mongodb': ['mongodb'],
  'mpdf/mpdf': ['gd'],
  'php-amqplib/php-amqplib': ['sockets'],
  'phpoffice/phpspreadsheet': ['gd'],
  'phpoffice/phpword': ['gd'],
  'spatie/laravel-medialibrary': ['exif', 'gd'],
};

/** Extensions that frameworks and most apps use. Others are installed on demand, since each takes time to compile. */
const usual = ['bcmath', 'intl', 'mysqli', 'opcache', 'pdo_mysql', 'pdo_pgsql', 'zip'];
/** Extensions of apps that cannot say what they need. */
const usualWithoutComposer = ['exif', 'gd', 'mysqli', 'opcache', 'pdo_mysql', 'pdo_pgsql', 'zip'];

/** Returns the extensions to install, those of PECL with their release, and the required ones that are unknown. */
export function extensionsOf(
  composer: ComposerProject | undefined,
  php: string,
): { extensions: string[]; unknown: string[] } {
  const ranges = new Map<string, string[]>();
  for (const { name, range } of composer?.requirements ?? []) {
    const extension = /^ext-(.+)$/i.exec(name)?.[1]?.toLowerCase();
    if (extension) ranges.set(aliasOf(extension), [...(ranges.get(aliasOf(extension)) ?? []), range]);
  }
  const implied = Object.entries(needed).flatMap(([name, names]) => (composer?.packages.has(name) ? names : []));
  const wanted = new Set([...(composer ? usual : usualWithoutComposer), ...implied, ...ranges.keys()]);
  const extensions: string[] = [];
  const unknown: string[] = [];
  for (const name of [...wanted].filter((each) => !included.has(each)).toSorted()) {
    const known = Object.hasOwn(phpExtensions, name) ? phpExtensions[name] : undefined;
    if (known?.included && rangeAllows(known.included, php, {})) continue;
    const release = known && releaseFor(known, php, ranges.get(name) ?? []);
    if (release !== undefined) extensions.push(release ? `${name}@${release}` : name);
    else if (ranges.has(name) && !composer?.provided.has(`ext-${name}`)) unknown.push(name);
  }
  return { extensions, unknown };
}

const aliasOf = (name: string) => (name === 'zend-opcache' ? 'opcache' : name);

/** Returns `''` for the one of PHP itself or the newest of PECL; undefined if none fits. */
function releaseFor(extension: PhpExtension, php: string, ranges: string[]): string | undefined {
  if (isBundled(extension, php)) return '';
  const releases = extension.pecl ?? [];
  const index = releases.findIndex(
    ([release, oldest]) =>
      rangeAllows(`>=${oldest}`, php, {}) &&
      (release === anyRelease || ranges.every((range) => rangeAllows(range, release, { pessimisticTilde: true }))),
  );
  return index < 0 ? undefined : index === 0 ? '' : releases[index]![0];
}

/** Whether the extension is compiled from PHP's own source. */
export const isBundled = ({ bundled = '*' }: PhpExtension, php: string): boolean => rangeAllows(bundled, php, {});
