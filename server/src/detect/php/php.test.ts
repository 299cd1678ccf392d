import { describe, expect, it } from 'vitest';
import { detect } from '../index.ts';
import { memoryTree } from '../memory-tree.ts';

type Package = { name: string; require?: Record<string, string>; provide?: Record<string, string>; time?: string };

const locked = (packages: Package[], others: object = {}) =>
  JSON.stringify(
    { packages: packages.map(({ name, ...rest }) => ({ name, version: '1.0.0', ...rest })), ...others },
    null,
    4,
  );

const look = (json: object, lock?: string, files: Record<string, string> = {}) =>
  detect(
    memoryTree({
      'public/index.php': '',
      'composer.json': JSON.stringify(json),
      ...(lock !== undefined && { 'composer.lock': lock }),
      ...files,
    }),
  );

const requiring = (...ranges: string[]): Package[] =>
  ranges.map((range, index) => ({ name: `a/b${index}`, require: { php: range } }));

describe('the version of PHP', () => {
  it.each([
    ['*', requiring('>=7.1'), '8.4'],
    ['^8.1', requiring('>=7.1', '>=8.0 <8.4'), '8.3'],
    ['^7.2|^8.0', requiring('^7.2', '>=5.6'), '7.4'],
    ['>=5.6', requiring('~7.1.0 || ~7.2.0', '^7.1.3'), '7.2'],
    ['>=7.0', requiring('8.1.* || 8.2.*'), '8.2'],
    ['^8.5', [], '8.5'],
  ])('for %s and %j is %s', async (php, packages, version) =>
    expect(await look({ require: { php } }, locked(packages))).toMatchObject({ languageVersion: version }),
  );

  it.each([
    ['2019-06-01T00:00:00+00:00', '7.3'],
    ['2021-10-01T00:00:00+00:00', '8.0'],
    ['2013-01-01T00:00:00+00:00', '7.1'],
    ['2030-01-01T00:00:00+00:00', '8.4'],
  ])('for packages of %s is %s', async (time, version) => {
    const found = await look({ require: { php: '>=7.1' } }, locked([{ name: 'a/b', require: { php: '>=5' }, time }]));
    expect(found.languageVersion).toBe(version);
  });

  it('is the one that Composer assumes, which the lock file repeats', async () => {
    const packages = requiring('>=7.1');
    const json = { require: { php: '>=7.1' }, config: { platform: { php: '8.1.2' } } };
    expect(await look(json)).toMatchObject({ languageVersion: '8.1' });
    const lock = locked(packages, { 'platform-overrides': { 'ext-gd': '1', php: '7.4.33' } });
    expect(await look(json, lock)).toMatchObject({ languageVersion: '7.4' });
  });

  it('is the one of .php-version, unless a package refuses it', async () => {
    const lock = locked(requiring('^8.2'));
    expect(await look({}, lock, { '.php-version': '8.3' })).toMatchObject({ languageVersion: '8.3' });
    const refused = await look({}, lock, { '.php-version': '7.4' });
    expect(refused.languageVersion).toBe('8.4');
    expect(refused.reasons.join()).toContain('PHP 7.4 is not possible, because a/b0 requires ^8.2');
  });

  it('ignores development packages, and names requirements that contradict each other', async () => {
    const dev = locked(requiring('>=8.0'), {
      'packages-dev': [{ name: 'c/d', version: '1', require: { php: '<8.1' } }],
    });
    expect(await look({}, dev)).toMatchObject({ languageVersion: '8.4' });
    const { languageVersion, reasons } = await look({}, locked(requiring('^7.4', '^8.0')));
    expect(languageVersion).toBeNull();
    expect(reasons.join()).toContain('no version of PHP satisfies all of a/b0 (^7.4), a/b1 (^8.0)');
  });

  it('reads a lock file that is cut off', async () => {
    const lock = locked(requiring('~8.1.0', '>=7'));
    expect(await look({}, lock.slice(0, -60))).toMatchObject({ languageVersion: '8.1' });
  });
});

describe('extensions of PHP', () => {
  const usual = ['bcmath', 'intl', 'mysqli', 'opcache', 'pdo_mysql', 'pdo_pgsql', 'zip'];
  const extensions = async (...args: Parameters<typeof look>) => (await look(...args)).extensions;

  it('are the usual ones and those that any package requires', async () => {
    expect(await extensions({})).toEqual(usual);
    const lock = locked([
      { name: 'a/b', require: { 'ext-gd': '*', 'ext-json': '*', 'ext-PDO': '*' } },
      { name: 'c/d', require: { 'ext-pcntl': '*', 'ext-zend-opcache': '*' } },
    ]);
    expect(await extensions({ require: { 'ext-soap': '*' } }, lock)).toEqual(
      [...usual, 'gd', 'pcntl', 'soap'].toSorted(),
    );
    expect(await extensions({ require: { 'mpdf/mpdf': '8' } })).toContain('gd');
  });

  it.each([
    ['~7.1.0', '*', 'redis@5.3.7'],
    ['~7.3.0', '*', 'redis@6.0.2'],
    ['^8.3', '>=5.3', 'redis'],
    ['^8.3', '^5.0', 'redis@5.3.7'],
  ])('for PHP %s and ext-redis %s are %s', async (php, redis, release) =>
    expect(await extensions({ require: { php, 'ext-redis': redis } })).toContain(release),
  );

  it('match the release that a package needs', async () => {
    const mongo = (range: string) => locked([{ name: 'a/b', require: { 'ext-mongodb': range } }]);
    expect(await extensions({}, mongo('^2.0'))).toContain('mongodb');
    expect(await extensions({}, mongo('^1.8.1'))).toContain('mongodb@1.21.0');
  });

  it('that the image has are not installed', async () => {
    expect(await extensions({ require: { php: '8.1.*', 'ext-ftp': '*' } })).not.toContain('ftp');
    expect(await extensions({ require: { php: '8.2.*', 'ext-ftp': '*' } })).toContain('ftp');
    expect(await extensions({ require: { php: '8.5.*' } })).not.toContain('opcache');
  });

  it('that cannot be installed are named, unless a package replaces them', async () => {
    const needing = { name: 'a/b', require: { 'ext-mongo': '*', 'ext-__proto__': '*' } };
    expect((await look({}, locked([needing]))).reasons.join()).toContain(
      'ext-__proto__, ext-mongo, which Mooring cannot',
    );
    const adapter = { name: 'c/d', provide: { 'ext-mongo': '1.6.14' } };
    expect((await look({}, locked([needing, adapter]))).reasons.join()).not.toContain('ext-mongo');
  });

  it('of an app without Composer are those of most apps', async () =>
    expect((await detect(memoryTree({ 'index.php': '' }))).extensions).toEqual([
      'exif',
      'gd',
      'mysqli',
      'opcache',
      'pdo_mysql',
      'pdo_pgsql',
      'zip',
    ]));
});

describe('Composer', () => {
  it('is version 1 if a plugin needs that', async () => {
    const plugin = (range: string) => locked([{ name: 'a/b', require: { 'composer-plugin-api': range } }]);
    expect((await look({}, plugin('^1.0'))).packageManagerVersion).toBe('1');
    expect((await look({}, plugin('^1.0 || ^2.0'))).packageManagerVersion).toBeNull();
  });

  it('needs a password for private packages', async () => {
    const composer = (url: string) => ({ type: 'composer', url });
    const repositories = [
      composer('https://nova.laravel.com'),
      composer('https://asset-packagist.org'),
      { type: 'vcs' },
    ];
    const { reasons } = await look({ repositories });
    expect(reasons.join()).toMatch(/packages of nova\.laravel\.com; .* COMPOSER_AUTH/);
  });
});

describe('Laravel', () => {
  const json = { require: { 'laravel/framework': '^12' } };

  it('creates missing folders, links uploads and migrates if there are migrations', async () => {
    const bare = await look(json, undefined, { artisan: '' });
    expect(bare).toMatchObject({ buildCommand: null, releaseCommand: null });
    expect(bare.installCommand).toMatch(/^mkdir -p bootstrap\/cache storage\/framework\/cache .* && composer install /);
    const whole = await look(json, undefined, {
      artisan: '',
      'database/migrations/1.php': '',
      'storage/app/public/.gitignore': '',
      ...Object.fromEntries(
        ['bootstrap/cache', 'storage/framework/cache', 'storage/framework/sessions', 'storage/framework/views'].map(
          (folder) => [`${folder}/.gitignore`, ''],
        ),
      ),
    });
    expect(whole).toMatchObject({
      buildCommand: 'ln -sfn ../storage/app/public public/storage',
      releaseCommand: 'php artisan migrate --force',
    });
    expect(whole.installCommand).toMatch(/^composer install /);
  });

  it('builds old assets with an old Node.js', async () => {
    const assets = (mix: string) =>
      JSON.stringify({ scripts: { production: 'mix' }, devDependencies: { 'laravel-mix': mix } });
    const version = async (mix: string) =>
      (await look(json, undefined, { artisan: '', 'package.json': assets(mix) })).nodeVersion;
    expect([await version('^2.0'), await version('^5.0.1'), await version('^6.0.6')]).toEqual(['14', '16', null]);
  });

  it('runs the release command of the Procfile instead', async () => {
    const found = await look(json, undefined, {
      artisan: '',
      'database/migrations/1.php': '',
      Procfile: 'web: heroku-php-apache2 public\nrelease: php artisan app:update\n',
    });
    expect(found.releaseCommand).toBe('php artisan app:update');
  });
});

describe('the folder to serve', () => {
  const served = async (json: object, files: Record<string, string> = {}) =>
    (await detect(memoryTree({ 'composer.json': JSON.stringify(json), ...files }))).startCommand;
  const php = 'php -S ${HOST:-0.0.0.0}:${PORT:-8000}';

  it.each([
    [{ require: { 'johnpbloch/wordpress': '^6' } }, 'wordpress'],
    [{ require: { 'johnpbloch/wordpress-core': '^6' }, extra: { 'wordpress-install-dir': 'web/wp/' } }, 'web/wp'],
    [{ extra: { 'drupal-scaffold': { locations: { 'web-root': 'web/' } } } }, 'web'],
  ])('of %j is made by Composer', async (json, folder) => expect(await served(json)).toBe(`${php} -t ${folder}`));

  it('is the one in the source, with the script of Symfony 3', async () => {
    expect(await served({ require: { 'johnpbloch/wordpress': '6' } }, { 'index.php': '' })).toBe(php);
    expect(await served({}, { 'web/app.php': '' })).toBe(`${php} -t web web/app.php`);
    expect(await served({})).toBeNull();
  });
});

it('a lock file without a package of composer.json is replaced, with a warning', async () => {
  const json = { require: { php: '^8.2', 'a/b': '*', 'c/d': '*', 'Psr/Log-Implementation': '*' } };
  const packages = [{ name: 'A/b', provide: { 'psr/log-implementation': '1.0' } }];
  const stale = await look(json, locked(packages, { 'packages-dev': [] }));
  expect(stale.installCommand).toMatch(/^composer update --no-dev /);
  expect(stale.warnings).toMatchObject([{ message: expect.stringMatching(/^composer.lock lacks c\/d, /) as string }]);
  const whole = await look(json, locked([...packages, { name: 'c/d' }], { 'packages-dev': [] }));
  expect(whole.installCommand).toMatch(/^composer install --no-dev /);
  expect((await look(json, locked(packages))).installCommand, 'cut off').toMatch(/^composer install /);
});

describe('pages with PHP scripts beside them', () => {
  const start = async (files: Record<string, string>) => (await detect(memoryTree(files))).startCommand;
  const pages = { 'index.html': '<form action="mail.php">', 'mail.php': '<?php' };

  it('are served by PHP, which does not show the scripts', async () => {
    const served = 'php -S ${HOST:-0.0.0.0}:${PORT:-8000}';
    expect(await start(pages)).toBe(served);
    expect(await start({ ...pages, 'composer.json': '{}' })).toBe(served);
    expect(await start({ 'composer.json': '{}', 'public/index.html': '', 'public/a.php': '' })).toBe(
      `${served} -t public`,
    );
  });

  it('are part of an app in another language', async () => {
    expect(await start({ ...pages, 'package.json': '{"scripts":{"start":"node a.js"}}' })).toBe('npm run start');
    expect(await start({ 'index.html': '', 'lib/a.php': '' })).toBeNull();
  });
});
