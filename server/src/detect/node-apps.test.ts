import { describe, expect, it } from 'vitest';
import type { Detection } from './detect.ts';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

const look = (pkg: object, files: Record<string, string> = {}): Promise<Detection> =>
  detect(memoryTree({ 'package.json': JSON.stringify(pkg), 'server.js': '', ...files }));

describe('start program', () => {
  it.each([
    ['node server.js', 'node server.js'],
    ['  next   start ', 'next start'],
    ['NODE_ENV=production node server.js', 'NODE_ENV=production node server.js'],
    ['next start -p ${PORT:-3000} -H $HOST', 'next start -p ${PORT:-3000} -H $HOST'],
    ['./bin/www', './bin/www'],
  ])('of %j is %j', async (start, program) => {
    const found = await look({ scripts: { start } });
    expect(found).toMatchObject({ startCommand: 'npm run start', startProgram: program });
  });

  it.each([
    'npm run build && node server.js',
    'node server.js | tee log',
    'node server.js > log',
    'cd dist && node .',
    'cd dist',
    'node "my server.js"',
    'node $(ls *.js)',
    'node src/*.js',
    'npm run serve',
    'node server.js --port $npm_package_config_port',
    'node $INIT_CWD/server.js',
    'FOO=bar',
    '',
  ])('leaves %j to the package manager', async (start) => {
    expect((await look({ scripts: { start } })).startProgram).toBeNull();
  });

  it.each([
    ['something runs before it', { scripts: { start: 'node a.js', prestart: 'node b.js' } }, {}],
    ['something runs after it', { scripts: { start: 'node a.js', poststart: 'node b.js' } }, {}],
    ['tools may be in archives', { scripts: { start: 'node a.js' }, packageManager: 'yarn@4.9.2' }, {}],
    ['Bun runs it', { scripts: { start: 'node a.js' }, packageManager: 'bun@1.2.0' }, {}],
    ['the source declares another', { scripts: { start: 'node a.js' } }, { Procfile: 'web: npm run other' }],
  ])('is empty if %s', async (_, pkg, files) => {
    expect((await look(pkg, files)).startProgram).toBeNull();
  });
});

describe('system packages', () => {
  it.each([
    [{ express: '5' }, [], []],
    [{ '@prisma/client': '6' }, ['openssl'], ['openssl']],
    [{ 'pg-native': '3', bcrypt: '6' }, ['libpq5'], ['g++', 'make', 'python3', 'libpq-dev']],
    [{ ours: 'github:someone/ours' }, [], ['ca-certificates', 'git']],
    [{ ours: 'someone/ours#main' }, [], ['ca-certificates', 'git']],
    [{ ours: 'npm:theirs@1', near: 'file:../near', here: 'workspace:*' }, [], []],
  ])('%j', async (dependencies, run, build) => {
    expect(await look({ dependencies })).toMatchObject({ systemPackages: run, buildPackages: build });
  });
});

describe('build without a server', () => {
  it.each([
    [
      'SvelteKit',
      { devDependencies: { '@sveltejs/kit': '2', '@sveltejs/adapter-cloudflare': '7' } },
      {},
      'adapter-node',
    ],
    [
      'Astro',
      { dependencies: { astro: '5' } },
      { 'astro.config.mjs': 'export default { adapter: vercel() }' },
      '@astrojs/node',
    ],
    [
      'Nuxt',
      { dependencies: { nuxt: '4' } },
      { 'nuxt.config.ts': "export default defineNuxtConfig({ nitro: { preset: 'vercel' } })" },
      'set nitro.preset to node-server',
    ],
  ])('of %s is reported with a fix', async (_, pkg, files, advice) => {
    const { startCommand, reasons } = await detect(memoryTree({ 'package.json': JSON.stringify(pkg), ...files }));
    expect(startCommand).toBeNull();
    expect(reasons.join()).toMatch(/its build produces nothing to start/);
    expect(reasons.join()).toContain(advice);
  });

  it('is not assumed for a Node preset', async () => {
    const nuxt = { 'nuxt.config.ts': "export default defineNuxtConfig({ nitro: { preset: 'node-cluster' } })" };
    expect((await look({ dependencies: { nuxt: '4' } }, nuxt)).startCommand).toBe('node .output/server/index.mjs');
  });
});
