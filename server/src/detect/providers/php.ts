import { assetsOf } from '../assets.ts';
import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { type ComposerProject, privateHosts, readComposer } from '../php/composer.ts';
import { extensionsOf } from '../php/extensions.ts';
import { laravelTasks } from '../php/laravel.ts';
import { phpVersion } from '../php/version.ts';
import { plainPath } from '../plain-names.ts';
import { childRecord, textOrNull } from '../records.ts';
import { rangeAllows } from '../version-range.ts';

/** Document roots, the source root last: files next to them are not public. */
const publicFolders = ['public', 'web', 'webroot', 'htdocs', 'public_html', ''];

const frameworks = [
  { id: 'laravel', name: 'Laravel', package: 'laravel/framework' },
  { id: 'symfony', name: 'Symfony', package: 'symfony/framework-bundle' },
  { id: 'slim', name: 'Slim', package: 'slim/slim' },
  { id: 'laminas', name: 'Laminas', package: 'laminas/laminas-mvc' },
  { id: 'codeigniter', name: 'CodeIgniter', package: 'codeigniter4/framework' },
  { id: 'cakephp', name: 'CakePHP', package: 'cakephp/cakephp' },
  { id: 'drupal', name: 'Drupal', package: 'drupal/core-recommended' },
  ...['roots/wordpress', 'johnpbloch/wordpress', 'johnpbloch/wordpress-core'].map((name) => ({
    id: 'wordpress',
    name: 'WordPress',
    package: name,
  })),
];

const composerOptions = '--no-dev --no-interaction --optimize-autoloader';
/** With a lock file that lacks packages, `install` fails. */
const composerInstall = ({ unlocked }: ComposerProject) =>
  `composer ${unlocked.length ? 'update' : 'install'} ${composerOptions}`;

export const phpApp: Provider = {
  name: 'php',
  looksFor: 'composer.json',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    const composer = names.has('composer.json') ? await readComposer(tree) : undefined;
    const root =
      (await publicFolder(tree)) ??
      (composer && installedFolder(composer)) ??
      (await pagesFolder(tree, composer !== undefined));
    if (!composer && root === undefined) return undefined;
    const framework = frameworks.find((each) => composer?.own.has(each.package));
    const laravel = framework?.id === 'laravel' && names.has('artisan') ? await laravelTasks(tree) : undefined;
    // Its default is development, whose packages are not installed.
    const mode = framework?.id === 'symfony' ? 'APP_ENV=${APP_ENV:-prod} ' : '';
    const start = laravel
      ? 'php artisan serve --host=${HOST:-0.0.0.0} --port=${PORT:-8000}'
      : root === undefined
        ? null
        : mode + serve(root);
    const version = await phpVersion(tree, composer);
    const { extensions, unknown } = extensionsOf(composer, version.languageVersion ?? '8.4');
    const assets = await assetsOf(tree);
    const page = names.has('index.html') && !names.has('index.php') ? 'scripts beside index.html' : 'index.php';
    const what = framework?.name ?? (names.has('wp-load.php') ? 'WordPress' : 'PHP');
    return {
      ...version,
      framework: framework?.id ?? (names.has('wp-load.php') ? 'wordpress' : 'php'),
      language: 'php',
      packageManager: composer ? 'composer' : null,
      packageManagerVersion: composer && needsElderComposer(composer) ? '1' : null,
      installCommand: composer ? joined(laravel?.prepare, mode + composerInstall(composer)) : null,
      buildCommand: joined(laravel?.link, assets?.command),
      startCommand: start,
      releaseCommand: laravel?.release ?? null,
      port: start ? 8000 : null,
      otherLanguages: assets ? ['javascript'] : [],
      nodeVersion: assets?.nodeVersion ?? null,
      extensions,
      warnings: composer?.unlocked.length ? [staleLock(composer.unlocked[0]!)] : [],
      reasons: [
        ...(version.reasons ?? []),
        ...(composer ? aboutPackages(composer, extensions, unknown) : []),
        ...(laravel?.release ? [`database/migrations: before each release, \`${laravel.release}\``] : []),
        explain(what, composer ? 'composer.json' : page, framework?.package, start),
        ...(assets?.reasons ?? []),
      ],
      adapt: adaptCommand,
    } satisfies DetectFinding;
  },
};

const staleLock = (name: string) => ({
  message:
    `composer.lock lacks ${name}, so versions may change between deployments. ` +
    `Run \`composer update ${name}\` and commit composer.lock.`,
  unlessVariables: [],
});

const joined = (...commands: (string | null | undefined)[]) => commands.filter(Boolean).join(' && ') || null;

const serve = (root: string) => `php -S \${HOST:-0.0.0.0}:\${PORT:-8000}${root ? ` -t ${root}` : ''}`;

/** Returns the folder to serve, with the script for all paths where that is not index.php (Symfony 2 and 3). */
async function publicFolder(tree: SourceTree): Promise<string | undefined> {
  for (const folder of publicFolders)
    if ((await tree.read(folder ? `${folder}/index.php` : 'index.php')) !== undefined) return folder;
  if ((await tree.read('web/app.php')) !== undefined) return 'web web/app.php';
  return undefined;
}

/** Files of apps in other languages, which may have pages and scripts, too. */
const ofOthers = /^(package\.json|deno\.jsonc?|go\.mod|Gemfile|Cargo\.toml|pom\.xml|.*\.py|pyproject\.toml|.*\.sln)$/;

/** Returns the folder of pages that have scripts beside them, such as for a form. */
async function pagesFolder(tree: SourceTree, hasComposer: boolean): Promise<string | undefined> {
  if (!hasComposer && (await tree.list('')).some((name) => ofOthers.test(name))) return undefined;
  for (const folder of hasComposer ? publicFolders : ['']) {
    const names = await tree.list(folder);
    if (names.includes('index.html') && names.some((name) => name.endsWith('.php'))) return folder;
  }
  return undefined;
}

/** Returns the folder where Composer puts WordPress or Drupal, index.php included. */
function installedFolder({ json, own }: ComposerProject): string | undefined {
  const extra = childRecord(json, 'extra');
  const usual = [...own].some((name) => name.startsWith('johnpbloch/wordpress')) ? 'wordpress' : null;
  const folder = textOrNull(childRecord(extra, 'drupal-scaffold', 'locations')['web-root']) ?? usual;
  return plainPath(textOrNull(extra['wordpress-install-dir']) ?? folder);
}

/** Plugins for Composer 1 only keep Composer 2 from installing anything. */
const needsElderComposer = ({ requirements }: ComposerProject) =>
  requirements.some(({ name, range }) => name === 'composer-plugin-api' && !rangeAllows(range, '2', {}));

function aboutPackages(composer: ComposerProject, extensions: string[], unknown: string[]): string[] {
  const file = composer.isLocked ? 'composer.lock' : 'composer.json';
  const hosts = privateHosts(composer);
  return [
    ...(extensions.length ? [`${file}: the PHP extensions ${extensions.join(', ')}`] : []),
    ...(unknown.length
      ? [
          `${file}: requires ${unknown.map((name) => `ext-${name}`).join(', ')}, which Mooring cannot install: add a Dockerfile`,
        ]
      : []),
    ...(hosts.length
      ? [
          `composer.json: packages of ${hosts.join(', ')}; if that needs a password, set the secret variable COMPOSER_AUTH`,
        ]
      : []),
  ];
}

function explain(what: string, file: string, dependency: string | undefined, start: string | null): string {
  const sign = dependency ? `${file} requires ${dependency}` : file;
  const missing = 'but there is no index.php or index.html in the root, public, web, webroot, htdocs or public_html';
  return `${sign}: ${what}, ${start ? `started with \`${start}\`` : missing}`;
}

/** Heroku's web servers are not available; their argument is the folder to serve. */
function adaptCommand(command: string): string | null {
  const [program = '', folder, ...more] = command.split(/\s+/);
  if (!program.includes('heroku-php-')) return command;
  const path = more.length ? undefined : plainPath(folder ?? '.');
  return path === undefined ? null : serve(path);
}
