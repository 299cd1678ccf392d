import { assetsOf } from '../assets.ts';
import type { DetectFinding, Provider, SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { languageVersion, toolVersions, versionFile } from '../language-version.ts';
import { plainPath } from '../plain-names.ts';
import { textEntries } from '../records.ts';
import type { VersionLine } from '../version-range.ts';

const php: VersionLine = {
  language: 'PHP',
  known: ['8.4', '8.3', '8.2', '8.1', '8.0', '7.4'],
  preferred: '8.4',
  pessimisticTilde: true,
};

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
];

export const phpApp: Provider = {
  name: 'php',
  looksFor: 'composer.json',
  async detect(tree) {
    const names = new Set(await tree.list(''));
    const root = await publicFolder(tree);
    const hasComposer = names.has('composer.json');
    if (!hasComposer && root === undefined) return undefined;
    const requires = textEntries((await readJson(tree, 'composer.json'))['require']);
    const framework = frameworks.find((each) => requires.has(each.package));
    const isLaravel = framework?.id === 'laravel' && names.has('artisan');
    const start = isLaravel
      ? 'php artisan serve --host=${HOST:-0.0.0.0} --port=${PORT:-8000}'
      : root === undefined
        ? null
        : serve(root);
    const version = languageVersion(php, [
      await versionFile(tree, '.php-version'),
      ...(await toolVersions(tree, 'php')),
      { wanted: requires.get('php'), from: 'composer.json' },
    ]);
    const assets = await assetsOf(tree);
    const what = framework?.name ?? (names.has('wp-load.php') ? 'WordPress' : 'PHP');
    return {
      ...version,
      framework: framework?.id ?? (names.has('wp-load.php') ? 'wordpress' : 'php'),
      language: 'php',
      packageManager: hasComposer ? 'composer' : null,
      installCommand: hasComposer ? 'composer install --no-dev --no-interaction --optimize-autoloader' : null,
      buildCommand: assets?.command ?? null,
      startCommand: start,
      port: start ? 8000 : null,
      otherLanguages: assets ? ['javascript'] : [],
      reasons: [
        ...(version.reasons ?? []),
        explain(what, hasComposer, framework?.package, start),
        ...(assets?.reasons ?? []),
      ],
      adapt: adaptCommand,
    } satisfies DetectFinding;
  },
};

const serve = (root: string) => `php -S \${HOST:-0.0.0.0}:\${PORT:-8000}${root ? ` -t ${root}` : ''}`;

async function publicFolder(tree: SourceTree): Promise<string | undefined> {
  for (const folder of publicFolders)
    if ((await tree.read(folder ? `${folder}/index.php` : 'index.php')) !== undefined) return folder;
  return undefined;
}

function explain(what: string, hasComposer: boolean, dependency: string | undefined, start: string | null): string {
  const sign = hasComposer ? (dependency ? `composer.json requires ${dependency}` : 'composer.json') : 'index.php';
  const missing = 'but there is no index.php in the root, public, web, webroot, htdocs or public_html';
  return `${sign}: ${what}, ${start ? `started with \`${start}\`` : missing}`;
}

/** Heroku's web servers are not available; their argument is the folder to serve. */
function adaptCommand(command: string): string | null {
  const [program = '', folder, ...more] = command.split(/\s+/);
  if (!program.includes('heroku-php-')) return command;
  const path = more.length ? undefined : plainPath(folder ?? '.');
  return path === undefined ? null : serve(path);
}
