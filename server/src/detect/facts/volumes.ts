import { posix } from 'node:path';
import type { Detection, SourceTree } from '../detect.ts';
import { readJson } from '../json.ts';
import { plainPath } from '../plain-names.ts';
import { type DatabaseFile, djangoData } from '../python/django-data.ts';
import { childRecord, isRecord, textOrNull } from '../records.ts';

type Suggestion = Detection['volumes'][number];
type Rule = { file: string; says: RegExp } & Suggestion;

const dependency = (name: string): RegExp => new RegExp(`"${name}"\\s*:`);
const sqlite = (name: string): Rule => ({
  file: 'package.json',
  says: dependency(name),
  name: 'data',
  path: 'data',
  reason: `${name} keeps its database in a file; put it in the folder data`,
});

/** Frameworks and libraries whose files must outlive a deployment. */
const rules: Rule[] = [
  {
    file: 'composer.json',
    says: dependency('laravel/framework'),
    name: 'storage',
    path: 'storage',
    reason: 'Laravel writes to storage',
  },
  {
    file: 'composer.json',
    says: dependency('roots/wordpress'),
    name: 'uploads',
    path: 'web/app/uploads',
    reason: 'Bedrock keeps uploads in web/app/uploads',
  },
  {
    file: 'composer.json',
    says: /"johnpbloch\/wordpress[^"]*"\s*:/,
    name: 'uploads',
    path: 'wp-content/uploads',
    reason: 'WordPress keeps uploads in wp-content/uploads',
  },
  {
    file: 'composer.json',
    says: /"drupal\/core[^"]*"\s*:/,
    name: 'files',
    path: 'web/sites/default/files',
    reason: 'Drupal keeps uploads in web/sites/default/files',
  },
  {
    file: 'Gemfile',
    says: /^[ \t]*gem[ \t]+['"]rails['"]/m,
    name: 'storage',
    path: 'storage',
    reason: 'Rails keeps uploads and SQLite databases in storage',
  },
  {
    file: 'go.mod',
    says: /github\.com\/pocketbase\/pocketbase\s/,
    name: 'pb_data',
    path: 'pb_data',
    reason: 'PocketBase keeps its database in pb_data',
  },
  {
    file: 'package.json',
    says: dependency('@strapi/strapi'),
    name: 'uploads',
    path: 'public/uploads',
    reason: 'Strapi keeps uploads in public/uploads',
  },
  {
    file: 'package.json',
    says: dependency('ghost'),
    name: 'content',
    path: 'content',
    reason: 'Ghost keeps uploads and its database in content',
  },
  {
    file: 'package.json',
    says: dependency('directus'),
    name: 'uploads',
    path: 'uploads',
    reason: 'Directus keeps uploads in uploads',
  },
  sqlite('better-sqlite3'),
  sqlite('sqlite3'),
  {
    file: 'prisma/schema.prisma',
    says: /provider\s*=\s*"sqlite"/,
    name: 'data',
    path: 'data',
    reason: 'Prisma keeps its SQLite database in a file; put it in the folder data',
  },
];

/** Frameworks that keep a SQLite database at a fixed place, unless one of the variables is set. */
const databaseRules: ({ file: string; says: RegExp } & DatabaseFile)[] = [
  {
    file: 'config/database.php',
    says: /env\(['"]DB_CONNECTION['"],[ \t]{0,9}['"]sqlite['"]\)/,
    framework: 'Laravel',
    path: 'database/database.sqlite',
    unlessVariables: ['DB_CONNECTION', 'DB_DATABASE', 'DB_URL'],
  },
  {
    file: 'config/database.yml',
    says: /^[ \t]*database:[ \t]*db\/production\.sqlite3/m,
    framework: 'Rails',
    path: 'db/production.sqlite3',
    unlessVariables: ['DATABASE_URL'],
  },
];

/** Returns the folders that probably need a volume, and warnings about data that no volume can keep. */
export async function findVolumes(tree: SourceTree): Promise<Partial<Detection>> {
  const applying = async <R extends { file: string; says: RegExp }>(all: R[]) => {
    const texts = await Promise.all(all.map(({ file }) => tree.read(file)));
    return all.filter(({ says }, index) => says.test(texts[index] ?? ''));
  };
  const django = await djangoData(tree);
  const suggested: Suggestion[] = await applying(rules);
  if (django?.media) suggested.push(folderOf(django.media, `Django keeps uploads in ${django.media}`));
  const warnings: Detection['warnings'] = [];
  const databases = [...(await applying(databaseRules)), ...(django?.database ? [django.database] : [])];
  for (const database of databases) {
    const { framework, path, unlessVariables } = database;
    const folder = posix.dirname(path);
    if (await isOnlyFor(tree, path))
      suggested.push(folderOf(folder, `${framework} keeps its SQLite database in ${folder}`));
    else warnings.push({ message: lossOf(database), unlessVariables });
  }
  const declared = await declaredPaths(tree);
  const volumes = suggested
    .filter(({ path }, index) => {
      const others = suggested.filter((other, at) => other.path !== path || at < index).map((other) => other.path);
      return ![...others, ...declared].some((other) => `${path}/`.startsWith(`${other}/`));
    })
    .map(({ name, path, reason }) => ({ name, path, reason }));
  const databaseFile = databases.map(({ path, unlessVariables }) => ({ path, unlessVariables }))[0] ?? null;
  return { ...(volumes.length && { volumes }), ...(warnings.length && { warnings }), databaseFile };
}

const lossOf = ({ framework, path }: DatabaseFile): string =>
  `${framework} keeps its SQLite database in ${path}, beside the code: it is lost with the next deployment. ` +
  'Move it to a folder of its own, such as data, and add a volume there, or use a database service.';

/** A volume hides the source's files at its path, so the folder must have no others. */
async function isOnlyFor(tree: SourceTree, path: string): Promise<boolean> {
  const folder = posix.dirname(path);
  if (folder === '.') return false;
  const isOwn = (name: string) => name.startsWith('.') || name.startsWith(posix.basename(path));
  return (await tree.list(folder)).every(isOwn);
}

function folderOf(path: string, reason: string): Suggestion {
  const name = posix.basename(path).replaceAll(/[^\w.-]/g, '-');
  return { name: name.replace(/^[^A-Za-z0-9]+/, '') || 'data', path, reason };
}

/** The deployment adds the volumes that mooring.json declares. */
async function declaredPaths(tree: SourceTree): Promise<string[]> {
  const volumes = Object.values(childRecord(await readJson(tree, 'mooring.json'), 'volumes'));
  return volumes
    .map((each) => plainPath(textOrNull(isRecord(each) ? each['path'] : each)))
    .filter((path) => path !== undefined);
}
