import { describe, expect, it } from 'vitest';
import type { Detection } from './detect.ts';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

const look = (pkg: object, files: Record<string, string> = {}): Promise<Detection> =>
  detect(memoryTree({ 'package.json': JSON.stringify(pkg), 'server.js': '', ...files }));

describe('a package that the source lacks', () => {
  const svelteKit = (kit: string, adapter: string) => ({ devDependencies: { '@sveltejs/kit': kit, [adapter]: '1' } });
  it.each([
    ['SvelteKit', svelteKit('2', '@sveltejs/adapter-auto'), '@sveltejs/adapter-auto@npm:@sveltejs/adapter-node@5'],
    [
      'SvelteKit 1',
      svelteKit('^1.5', '@sveltejs/adapter-vercel'),
      '@sveltejs/adapter-vercel@npm:@sveltejs/adapter-node@1',
    ],
    ['TanStack Start', { dependencies: { '@tanstack/react-start': '1' } }, 'srvx@1'],
  ])('is added for %s', async (_, pkg, added) => {
    const found = await look(pkg);
    expect(found.buildCommand).toBe(`npm install --no-save ${added} && npx vite build`);
    expect(found.startCommand).not.toBeNull();
  });
});

describe('a request handler', () => {
  const hono = { dependencies: { hono: '4' } };
  const start = async (pkg: object, more: Record<string, string> = {}) =>
    (await detect(memoryTree({ 'package.json': JSON.stringify(pkg), 'server.js': 'export {}', ...more }))).startCommand;

  it('gets a server', async () => {
    expect(await start(hono)).toBe('npx srvx --prod --import tsx server.js');
    const app = { 'server.js': 'const app = express();\nmodule.exports = app;' };
    expect(await start({ dependencies: { express: '5' } }, app)).toBe('npx srvx --prod --import tsx server.js');
  });

  it.each([
    ['with a start script', { ...hono, scripts: { start: 'node dist' } }, {}, 'npm run start'],
    ['of an Express package', { dependencies: { express: '5' } }, {}, null],
    ['for Cloudflare', hono, { 'wrangler.toml': '' }, null],
    ['that also listens', hono, { 'server.js': 'export default serve(app)' }, 'node server.js'],
  ])('%s does not', async (_, pkg, more, command) => {
    expect(await start(pkg, more)).toBe(command);
  });
});

it('a function for Google Cloud is started by its name', async () => {
  const pkg = { dependencies: { '@google-cloud/functions-framework': '4' } };
  const found = await look(pkg, { 'index.js': "functions.http('hello', (req, res) => res.send('x'));" });
  expect(found).toMatchObject({ startCommand: 'npx functions-framework --target=hello', port: 8080 });
});

describe('entry file', () => {
  const handler = 'const app = make();\nexport default app;\n';
  it.each([
    ['a handler', { 'server.js': handler }, null],
    ['a library', { 'server.js': '', 'index.js': '' }, 'node server.js'],
    ['a library as main', { 'server.js': 'module.exports = {}', 'lib.js': 'exports.a = 1' }, null],
    ['a program that exports', { 'server.js': `${handler}if (!test) app.listen(3000);` }, 'node server.js'],
    ['a program of bin/www', { 'server.js': handler, 'bin/www': 'require("../server")' }, 'node bin/www'],
  ])('%s', async (_, files, start) => {
    const found = await look({ main: 'lib.js' }, files);
    expect(found.startCommand).toBe(start);
    if (!start) expect(found.reasons.join()).toContain('server.js only exports');
  });

  it.each([
    ['wrangler dev', { hono: '4' }, null],
    ['electron .', {}, null],
    ['nodemon server.js', { express: '5' }, 'node server.js'],
  ])('instead of the script %s', async (start, dependencies, command) => {
    const files = { 'server.js': command ? 'listen(1)' : handler };
    expect((await look({ scripts: { start }, dependencies }, files)).startCommand).toBe(command);
  });

  it('that needs packages, without a package.json, is explained', async () => {
    const source = "const http = require('http');\nimport x from '@a/b/c';\nconst e = require('express');\n";
    const found = await detect(memoryTree({ 'server.js': source }));
    expect(found.startCommand).toBeNull();
    expect(found.reasons.join()).toContain('Run `npm install @a/b express` and commit');
  });
});

describe('sites by a bundler', () => {
  const page = { 'html-webpack-plugin': '5' };
  it.each([
    [{ scripts: { start: 'webpack serve', build: 'webpack' }, devDependencies: { webpack: '5', ...page } }, {}, 'dist'],
    [
      { scripts: { start: 'webpack serve', build: 'webpack' }, devDependencies: { webpack: '5', ...page } },
      { 'webpack.config.js': "module.exports = { output: { path: path.resolve(__dirname, 'build') } }" },
      'build',
    ],
    [{ scripts: { build: 'webpack' }, devDependencies: { webpack: '5' } }, {}, null],
    [{ scripts: { 'build:prod': 'webpack' }, devDependencies: { webpack: '5', ...page } }, {}, 'dist'],
    [
      { scripts: { start: 'gulp', build: 'gulp build' }, devDependencies: { gulp: '4' } },
      { 'gulpfile.js': "src('a').pipe(dest('build/css'))" },
      'build',
    ],
  ])('%j %j', async (pkg, files, output) => {
    const found = await detect(memoryTree({ 'package.json': JSON.stringify(pkg), ...files }));
    expect(found).toMatchObject({ startCommand: null, outputDirectory: output });
  });
});

it('of a server are not served without it, also if the start script runs another one', async () => {
  const scripts = { start: 'npm run start-server', 'start-server': 'node server/server.js', build: 'vite build' };
  const found = await look(
    { scripts, dependencies: { express: '5' }, devDependencies: { vite: '7' } },
    { 'index.html': '' },
  );
  expect(found).toMatchObject({ framework: 'express', startCommand: 'npm run start', outputDirectory: null });
});

describe('tools of scripts', () => {
  it.each([
    [{ scripts: { build: 'npm run css', css: 'bunx tailwindcss' } }, ['bun']],
    [{ scripts: { start: 'pnpm run serve', dev: 'bun x' } }, ['pnpm']],
    [{ scripts: { start: 'node .' } }, []],
    [{ scripts: { start: 'next start' }, packageManager: 'bun@1.2.0', dependencies: { next: '15' } }, ['javascript']],
    [{ scripts: { start: 'bun index.ts' }, packageManager: 'bun@1.2.0' }, []],
  ])('%j: %j', async (pkg, languages) => {
    expect((await look({ packageManager: 'npm@11.0.0', ...pkg })).otherLanguages).toEqual(languages);
  });

  it('prepare what their platform would', async () => {
    const prisma = { devDependencies: { prisma: '6' }, scripts: { build: 'tsc' } };
    const schema = { 'prisma/schema.prisma': '' };
    expect((await look(prisma, schema)).buildCommand).toBe('npx prisma generate && npm run build');
    expect((await look(prisma)).buildCommand).toBe('npm run build');
    expect((await look({ ...prisma, scripts: { postinstall: 'prisma generate' } }, schema)).buildCommand).toBeNull();
    const playwright = await look({ dependencies: { playwright: '1' } });
    expect(playwright).toMatchObject({ buildCommand: 'npx playwright install chromium', systemPackages: ['chromium'] });
    expect((await look({ devDependencies: { playwright: '1' } })).systemPackages).toEqual([]);
  });
});

describe('members of a workspace', () => {
  const member = (name: string, dependencies: object, build = 'tsc') =>
    JSON.stringify({ name, dependencies, scripts: { build, start: 'node .' } });
  const files = {
    'package.json': '{"workspaces": ["apps/*", "packages/*"]}',
    'apps/web/package.json': member('web', { '@x/ui': '*', ms: '2' }),
    'packages/ui/package.json': member('@x/ui', { '@x/core': '*', web: '*' }),
    'packages/core/package.json': member('@x/core', { '@x/ui': '*' }),
    'packages/other/package.json': member('other', {}),
  };

  it.each([
    ['package-lock.json', 'npm run build --workspace=@x/core && npm run build --workspace=@x/ui && npm run build'],
    ['yarn.lock', 'yarn workspace @x/core run build && yarn workspace @x/ui run build && yarn run build'],
    ['bun.lock', 'bun run --filter=@x/core build && bun run --filter=@x/ui build && bun run build'],
  ])('are built after those that they need: %s', async (lock, command) => {
    expect((await detect(memoryTree({ ...files, [lock]: '' }), 'apps/web')).buildCommand).toBe(command);
  });

  it('are left to Turborepo', async () => {
    const found = await detect(memoryTree({ ...files, 'turbo.json': '{}' }), 'apps/web');
    expect(found.buildCommand).toBe('npx turbo run build');
  });

  it('are not built by names that a shell would read', async () => {
    const odd = {
      'packages/ui/package.json': member('a; b', {}),
      'apps/web/package.json': member('web', { 'a; b': '*' }),
    };
    expect((await detect(memoryTree({ ...files, ...odd }), 'apps/web')).buildCommand).toBe('npm run build');
  });
});

describe('a build for another platform', () => {
  it.each(['heroku-postbuild', 'gcp-build'])('%s', async (script) => {
    const found = await look({ scripts: { [script]: 'tsc', start: 'node dist' } });
    expect(found.buildCommand).toBe(`npm run ${script}`);
  });
});

describe('TypeScript that a build compiles', () => {
  const compiled = async (file: string, compilerOptions: object) => {
    const pkg = { scripts: { build: 'tsc -p .' }, dependencies: { express: '5' } };
    const files = { [file]: 'app.listen(3000)', 'tsconfig.json': JSON.stringify({ compilerOptions }) };
    return (await detect(memoryTree({ 'package.json': JSON.stringify(pkg), ...files }))).startCommand;
  };
  it.each([
    ['server.ts', {}, 'node server.js'],
    ['src/index.ts', { outDir: './dist' }, 'node dist/index.js'],
    ['src/index.ts', { outDir: 'dist', rootDir: '.' }, 'node dist/src/index.js'],
    ['src/index.ts', { outDir: '$(id)' }, null],
  ])('%s with %j', async (file, options, command) => expect(await compiled(file, options)).toBe(command));
});

describe('a program that only starts a development server', () => {
  const sync = "concurrently([`${'../node_modules/.bin/browser-sync'}`]);\nrun('../node_modules/.bin/browser-sync');";
  it('is no start command of a template', async () => {
    const pkg = { scripts: { build: 'node scripts/build.js', start: 'npm run build && node scripts/start.js' } };
    const files = { 'package.json': JSON.stringify(pkg), 'scripts/start.js': sync, 'dist/index.html': '' };
    const found = await detect(memoryTree(files));
    expect(found).toMatchObject({ buildCommand: 'npm run build', startCommand: null, outputDirectory: 'dist' });
  });

  it('is no start command of an ejected Create React App', async () => {
    const pkg = {
      scripts: { build: 'node scripts/build.js', start: 'node scripts/start.js' },
      devDependencies: { 'react-dev-utils': '12' },
    };
    const found = await look(pkg, {
      'scripts/start.js': "const WebpackDevServer = require('webpack-dev-server');",
      'config/paths.js': "const buildPath = process.env.BUILD_PATH || 'build';",
    });
    expect(found).toMatchObject({
      framework: 'create-react-app',
      startCommand: null,
      outputDirectory: 'build',
      fallback: 'index.html',
    });
  });

  it('starts a server of its own', async () => {
    const code = "const express = require('express');\nif (dev) require('webpack-dev-server');";
    const pkg = {
      scripts: { build: 'webpack', start: 'node server.js' },
      devDependencies: { 'react-dev-utils': '12' },
    };
    expect((await look(pkg, { 'server.js': code })).startCommand).toBe('npm run start');
  });
});
