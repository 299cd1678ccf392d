import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Detection } from './detect.ts';
import { folderTree } from './folder-tree.ts';
import { detect } from './index.ts';
import { memoryTree as files } from './memory-tree.ts';

type Expected = Partial<Detection> & { in?: Record<string, Expected> };

const examples = resolve(import.meta.dirname, '../../../examples');
const cases = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

async function meets(name: string, folder: string, { reasons = [], in: inside = {}, ...fields }: Expected) {
  const found = await detect(folderTree(join(examples, name)), folder);
  expect(found).toMatchObject(fields);
  for (const reason of reasons) expect(found.reasons.join('\n')).toContain(reason);
  for (const [below, expected] of Object.entries(inside)) await meets(name, below, expected);
}

describe('detection', () => {
  it.each(cases)('examples/%s', async (name) => {
    const expected = JSON.parse(readFileSync(join(examples, name, 'expect.json'), 'utf8')) as Expected;
    expect(Object.keys(expected).length).toBeGreaterThan(0);
    await meets(name, '', expected);
  });

  it('always gives a reason', async () => {
    for (const name of cases) expect((await detect(folderTree(join(examples, name)))).reasons).not.toEqual([]);
  });

  it('reports nothing missing if there is a Dockerfile or a compose file', async () => {
    const said = async (names: Record<string, string>) => (await detect(files(names))).reasons.join();
    expect(await said({ 'main.unknown': '' })).toContain('Nothing to build or start was recognized');
    expect(await said({ 'main.unknown': '', Dockerfile: 'FROM scratch' })).toBe(
      'Dockerfile: used instead of commands when Mooring runs on Docker',
    );
    expect(await said({ 'main.unknown': '', 'compose.yml': 'services:\n  a:\n    image: a' })).toBe(
      'compose.yml: 1 service (a)',
    );
  });

  it('says that a package.json is invalid or too large, not that it is missing', async () => {
    const said = async (text: string) => (await detect(files({ 'package.json': text }))).reasons;
    const [missing, invalid] = await said('{');
    expect(missing).not.toContain('package.json');
    expect(invalid).toContain('package.json is not valid JSON');
    expect((await said('{"a":"'.padEnd(1024 * 1024, 'a')))[1]).toContain('package.json is larger than 1 MB');
  });

  it('accepts any JSON as package.json', async () => {
    const whole = Object.keys(await detect(files({})));
    const keys = fc.constantFrom('name', 'main', 'scripts', 'dependencies', 'workspaces', 'engines', 'packageManager');
    const odd = fc.dictionary(keys, fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.oneof(odd, fc.jsonValue()), fc.string(), async (json, other) => {
        for (const text of [JSON.stringify(json), other]) {
          const tree = files({
            'package.json': text,
            'angular.json': text,
            'pnpm-workspace.yaml': other,
            '.env.example': other,
          });
          const found = await detect(tree);
          expect(Object.keys(found).toSorted()).toEqual(whole.toSorted());
          expect(found.reasons.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['brackets', 'packages: ["'.repeat(80_000)],
    ['spaces', `A=b${' '.repeat(900_000)}c`],
    ['lines', '\n'.repeat(900_000)],
    ['stars', `packages:\n  - '${'*a'.repeat(20_000)}b'\n`],
    ['comments', '/*'.repeat(400_000)],
    ['quotes', '`\\'.repeat(400_000)],
  ])('is not blocked by hostile text: %s', async (_, text) => {
    const names = ['package.json', 'pnpm-workspace.yaml', 'compose.yaml', '.env.example', 'Dockerfile', 'index.html'];
    const tree = files({ ...Object.fromEntries(names.map((name) => [name, text])), [`${'a'.repeat(200)}/x`]: '' });
    const dependencies = JSON.stringify({ dependencies: { next: '1' } });
    const before = process.cpuUsage();
    await detect(tree);
    await detect(files({ 'package.json': dependencies, 'next.config.js': text, 'yarn.lock': text }));
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(5000);
  });
});

describe('rules', () => {
  const npm = (json: object, more: Record<string, string> = {}) =>
    detect(files({ 'package.json': JSON.stringify(json), ...more }));

  it('with several lock files prefer packageManager, then a fixed order', async () => {
    const locks = { 'package-lock.json': '{}', 'yarn.lock': '', 'pnpm-lock.yaml': '' };
    expect(await npm({}, locks)).toMatchObject({ packageManager: 'pnpm' });
    const chosen = await npm({ packageManager: 'yarn@4.10.0' }, locks);
    expect(chosen).toMatchObject({
      packageManager: 'yarn',
      installCommand: expect.stringContaining('yarn install --immutable'),
    });
    expect(chosen.reasons).toContain('pnpm-lock.yaml, package-lock.json: ignored, because yarn.lock exists too');
  });

  it("prefer the framework's start command to a development script", async () => {
    const found = await npm({ scripts: { start: 'next dev', build: 'next build' }, dependencies: { next: '1' } });
    expect(found.startCommand).toBe('npx next start');
  });

  it('treat a build without a start, next to a page, as a site', async () => {
    const found = await npm({ scripts: { build: 'node make.js' } }, { 'public/index.html': '<p>' });
    expect(found).toMatchObject({ buildCommand: 'npm run build', startCommand: null, outputDirectory: 'public' });
  });

  it('leave a page with a tools-only package.json to the static provider', async () => {
    const found = await npm({ devDependencies: { prettier: '3' } }, { 'index.html': '<p>' });
    expect(found).toMatchObject({ framework: 'static', installCommand: null, outputDirectory: '.' });
  });

  it('do not serve an output outside the folder', async () => {
    const config = { 'index.html': '', 'vite.config.ts': "export default { build: { outDir: '../../etc' } }" };
    const found = await npm({ devDependencies: { vite: '7' } }, config);
    expect(found.outputDirectory).toBeNull();
    expect(found.reasons.join()).toContain("its output ../../etc is outside the app's folder");
  });

  it("do not use the workspace's lock file for a folder that is not a member", async () => {
    const root = { workspaces: ['apps/*'] };
    const tree = files({ 'package.json': JSON.stringify(root), 'yarn.lock': '', 'tools/cli/package.json': '{}' });
    expect((await detect(tree, 'tools/cli')).packageManager).toBe('npm');
  });

  it.each(['..', '/etc', 'a/../../b', 'a\0b', 'missing'])(
    'give only a reason for the root directory %j',
    async (folder) => {
      const found = await detect(files({ 'index.html': '<p>' }), folder);
      expect(found).toMatchObject({ framework: null, outputDirectory: null });
      expect(found.reasons).toHaveLength(1);
    },
  );
});

describe('volumes', () => {
  it.each([
    ['composer.json', '{"require": {"laravel/framework": "^12"}}', 'storage'],
    ['Gemfile', 'source "https://rubygems.org"\ngem "rails", "~> 8.0"\n', 'storage'],
    ['go.mod', 'module x\n\nrequire github.com/pocketbase/pocketbase v0.30.0\n', 'pb_data'],
    ['package.json', '{"dependencies": {"@strapi/strapi": "5", "better-sqlite3": "12"}}', 'public/uploads, data'],
    ['package.json', '{"dependencies": {"better-sqlite3": "12", "sqlite3": "5"}}', 'data'],
    ['package.json', '{"dependencies": {"express": "5"}}', ''],
  ])('are suggested for %s: %s', async (file, content, paths) => {
    const { volumes } = await detect(files({ [file]: content }));
    expect(volumes.map(({ path }) => path).join(', ')).toBe(paths);
  });

  const django = (settings: string, more: Record<string, string> = {}) =>
    detect(files({ 'requirements.txt': 'django', 'manage.py': '', 'site/settings.py': settings, ...more }));
  const databaseAt = (name: string, engine = 'sqlite3') =>
    `DATABASES = {\n  'default': {\n    'ENGINE': 'django.db.backends.${engine}',\n    'NAME': ${name},\n  }\n}\n`;

  it.each([
    ["BASE_DIR / 'media'", 'media'],
    ['BASE_DIR / "var" / "uploads/"  # public', 'var/uploads'],
    ["os.path.join(BASE_DIR, 'media')", 'media'],
    ["str(BASE_DIR.joinpath('media'))", 'media'],
    ["'media/'", 'media'],
    ["'/srv/media'", ''],
    ["BASE_DIR / '..' / 'media'", ''],
    ['BASE_DIR', ''],
    ["os.environ.get('MEDIA_ROOT', BASE_DIR / 'media')", ''],
    ["BASE_DIR / 'me;dia'", ''],
  ])('are suggested for MEDIA_ROOT = %s of Django', async (expression, paths) => {
    const { volumes } = await django(`# MEDIA_ROOT = BASE_DIR / 'old'\nMEDIA_ROOT = ${expression}\n`);
    expect(volumes.map(({ path }) => path).join(', ')).toBe(paths);
  });

  it('are relative to the app, also if manage.py is in a folder', async () => {
    const settings = `MEDIA_ROOT = BASE_DIR / 'media'\n${databaseAt("BASE_DIR / 'db.sqlite3'")}`;
    const found = await detect(
      files({ 'requirements.txt': 'django', 'backend/manage.py': '', 'backend/site/settings.py': settings }),
    );
    expect(found.volumes).toEqual([
      { name: 'media', path: 'backend/media', reason: 'Django keeps uploads in backend/media' },
    ]);
    expect(found.warnings).toMatchObject([{ message: expect.stringContaining('backend/db.sqlite3, beside the code') }]);
  });

  it('cannot keep a SQLite file beside the code, which is a warning', async () => {
    const { volumes, warnings } = await django(databaseAt("BASE_DIR / 'db.sqlite3'"));
    expect(volumes).toEqual([]);
    expect(warnings).toEqual([
      {
        message:
          'Django keeps its SQLite database in db.sqlite3, beside the code: it is lost with the next deployment. ' +
          'Move it to a folder of its own, such as data, and add a volume there, or use a database service.',
        unlessVariables: [],
      },
    ]);
  });

  it.each([
    ['a folder of its own', "BASE_DIR / 'data' / 'db.sqlite3'", {}, 'volume data'],
    ['a folder of its own in the source', "BASE_DIR / 'data/db.sqlite3'", { 'data/db.sqlite3': '' }, 'volume data'],
    ['a folder with code', "BASE_DIR / 'site' / 'db.sqlite3'", {}, 'warning'],
    ['a place that a variable decides', "os.environ.get('DB', BASE_DIR / 'db.sqlite3')", {}, ''],
  ])('follow a SQLite file of Django in %s', async (_, name, more, expected) => {
    const { volumes, warnings, databaseFile } = await django(databaseAt(name), more);
    expect(databaseFile !== null).toBe(expected !== '');
    expect([...volumes.map(({ path }) => `volume ${path}`), ...warnings.map(() => 'warning')].join()).toBe(expected);
  });

  it.each([
    ['another database', databaseAt("'shop'", 'postgresql') + databaseAt("BASE_DIR / 'db.sqlite3'"), undefined],
    ['DATABASE_URL', `import dj_database_url\n${databaseAt("BASE_DIR / 'db.sqlite3'")}`, ['DATABASE_URL']],
  ])('are not missed by a Django app that uses %s', async (_, settings, unless) => {
    expect((await django(settings)).warnings[0]?.unlessVariables).toEqual(unless);
  });

  it.each([
    ['config/database.php', "'default' => env('DB_CONNECTION', 'sqlite'),", 'database/database.sqlite'],
    ['config/database.yml', 'production:\n  database: db/production.sqlite3\n', 'db/production.sqlite3'],
    ['config/database.yml', 'production:\n  database: storage/production.sqlite3\n', undefined],
  ])('cannot keep the SQLite file that %s names: %s', async (file, content, path) => {
    const tree = files({ [file]: content, 'database/migrations/1.php': '', 'db/migrate/1.rb': '' });
    const [warning] = (await detect(tree)).warnings;
    expect(/database in (\S+),/.exec(warning?.message ?? '')?.[1]).toBe(path);
  });

  it('are not suggested inside others, or if mooring.json declares them', async () => {
    const settings = `MEDIA_ROOT = BASE_DIR / 'data' / 'media'\n${databaseAt("BASE_DIR / 'data' / 'db.sqlite3'")}`;
    expect((await django(settings)).volumes).toMatchObject([{ name: 'data', path: 'data' }]);
    for (const volumes of [{ files: './data/' }, { files: { path: 'data', overlap: true } }])
      expect((await django(settings, { 'mooring.json': JSON.stringify({ volumes }) })).volumes).toEqual([]);
  });
});
