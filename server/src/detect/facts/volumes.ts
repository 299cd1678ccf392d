import type { Detection, SourceTree } from '../detect.ts';

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
    says: /"(?:johnpbloch|roots)\/wordpress[^"]*"\s*:/,
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

/** Returns the folders that probably need a volume. */
export async function findVolumes(tree: SourceTree): Promise<Partial<Detection>> {
  const texts = new Map<string, string>();
  for (const file of new Set(rules.map((rule) => rule.file))) texts.set(file, (await tree.read(file)) ?? '');
  const found = rules.filter(({ file, says }) => says.test(texts.get(file)!));
  const volumes = found
    .filter((rule, index) => found.findIndex(({ path }) => path === rule.path) === index)
    .map(({ name, path, reason }) => ({ name, path, reason }));
  return volumes.length ? { volumes } : {};
}
