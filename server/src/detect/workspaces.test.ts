import { expect, it } from 'vitest';
import { detect } from './index.ts';
import { memoryTree } from './memory-tree.ts';

const many = Array.from({ length: 20_000 }, (_, i) => `folder-${i % 7}/*`);
const negations = Array.from({ length: 100_000 }, () => '!x');
const quoted = (patterns: string[]) => patterns.map((each) => `"${each}"`).join(',');

it.each([
  [
    'package.json',
    JSON.stringify({ workspaces: [...many, ...negations] }),
    'workspaces of package.json has 120000 patterns',
  ],
  ['package.json', JSON.stringify({ workspaces: { packages: many } }), 'workspaces of package.json has 20000 patterns'],
  [
    'pnpm-workspace.yaml',
    `packages:\n${many.map((each) => `  - '${each}'\n`).join('')}`,
    'pnpm-workspace.yaml has 20000 patterns',
  ],
  ['lerna.json', JSON.stringify({ packages: negations }), 'lerna.json has 100000 patterns'],
  ['Cargo.toml', `[workspace]\nmembers = [${quoted(many)}]`, 'Cargo.toml has 20000 patterns'],
  ['package.json', JSON.stringify({ workspaces: ['*/'.repeat(400)] }), 'has a pattern of more than 500 characters'],
])('rejects %s with too many or too long patterns', async (file, text, message) => {
  const tree = memoryTree({ [file]: text, 'folder-1/a/package.json': '{}', 'folder-1/a/Cargo.toml': '' });
  const began = performance.now();
  await expect(detect(tree)).rejects.toThrow(message);
  expect(performance.now() - began).toBeLessThan(2000);
});

it('finds the members of 1,000 patterns, without negated ones', async () => {
  const workspaces = [...Array.from({ length: 998 }, (_, i) => `apps/a${i}`), 'apps/b*', '!apps/b2'];
  const app = JSON.stringify({ scripts: { start: 'node .' }, dependencies: { express: '5' } });
  const tree = memoryTree({
    'package.json': JSON.stringify({ workspaces }),
    'apps/a997/package.json': app,
    'apps/b1/package.json': app,
    'apps/b2/package.json': app,
  });
  expect((await detect(tree)).apps.map(({ rootDirectory }) => rootDirectory)).toEqual(['apps/a997', 'apps/b1']);
});

it.each([
  [
    '@nx/webpack/plugin',
    { 'webpack.config.js': "output: { path: join(__dirname, '../../dist/apps/shop') }, target: 'node'" },
    { startCommand: 'node dist/apps/shop/main.js', outputDirectory: null },
  ],
  [
    '@nx/webpack/plugin',
    { 'webpack.config.js': "output: { path: join(__dirname, '../../dist/apps/shop') }" },
    { startCommand: null, outputDirectory: 'dist/apps/shop' },
  ],
  [
    '@nx/vite/plugin',
    { 'vite.config.mts': "build: { outDir: '../../dist/apps/shop' }" },
    { startCommand: null, outputDirectory: 'dist/apps/shop' },
  ],
  ['@nx/vite/plugin', { 'vite.config.ts': '' }, { startCommand: null, outputDirectory: 'apps/shop/dist' }],
])('infers a target of Nx from %s and %o', async (plugin, config, expected) => {
  const [name, text] = Object.entries(config)[0]!;
  const project = { name: 'shop', projectType: 'application', sourceRoot: 'apps/shop/src', targets: { serve: {} } };
  const tree = memoryTree({
    'package.json': '{}',
    'nx.json': JSON.stringify({ plugins: [{ plugin }] }),
    'apps/shop/project.json': JSON.stringify(project),
    [`apps/shop/${name}`]: text,
  });
  expect(await detect(tree)).toMatchObject({ ...expected, buildCommand: 'npx nx run shop:build' });
  expect((await detect(tree, 'apps/shop')).buildCommand).toBe('npx nx run shop:build');
});
