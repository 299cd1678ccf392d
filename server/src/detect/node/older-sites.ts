import { readJson } from '../json.ts';
import { childRecord, textOrNull } from '../records.ts';
import type { NodeApp } from './app.ts';
import { spa } from './framework.ts';
import type { Framework, AppShape } from './framework.ts';

const site = (id: string, name: string, packages: string[], build: string, shape: Framework['shape']): Framework => ({
  id,
  name,
  packages,
  build,
  shape,
});

/** Site generators and front-end frameworks with a single output. */
export const olderSiteFrameworks: Framework[] = [
  site('hexo', 'Hexo', ['hexo'], 'hexo generate', { output: 'public' }),
  site('gridsome', 'Gridsome', ['gridsome'], 'gridsome build', { output: 'dist' }),
  site('saber', 'Saber', ['saber'], 'saber build', { output: 'public' }),
  site('docz', 'Docz', ['docz'], 'docz build', docz),
  site('slidev', 'Slidev', ['@slidev/cli'], 'slidev build', spa('dist')),
  site('rspress', 'Rspress', ['rspress', '@rspress/core'], 'rspress build', { output: 'doc_build' }),
  site('ember', 'Ember', ['ember-cli'], 'ember build --environment=production', spa('dist')),
  site('umi', 'Umi', ['umi', '@umijs/max'], 'umi build', spa('dist')),
  site('preact-cli', 'Preact CLI', ['preact-cli'], 'preact build', spa('build')),
  site('polymer', 'Polymer', ['polymer-cli'], 'polymer build', polymer),
  site('stencil', 'Stencil', ['@stencil/core'], 'stencil build', stencil),
  site('dojo', 'Dojo', ['@dojo/cli'], 'dojo build --mode dist', spa('output/dist')),
  site('brunch', 'Brunch', ['brunch'], 'brunch build --production', spa('public')),
  site('sanity', 'Sanity Studio', ['sanity', '@sanity/base'], 'sanity build', spa('dist')),
  site('quasar', 'Quasar', ['@quasar/app-vite', '@quasar/app-webpack'], 'quasar build', spa('dist/spa')),
  site('sapper', 'Sapper', ['sapper'], 'sapper build', sapper),
  site('expo', 'Expo', ['expo'], 'expo export --platform web', expo),
];

async function docz({ pkg }: NodeApp): Promise<AppShape> {
  const folder = /\bdocz build\b.*?\s(?:-d|--dest)[ =](?:\.\/)?([\w./-]+)/.exec(pkg.scripts.get('build') ?? '')?.[1];
  return { output: folder ?? '.docz/dist' };
}

/** Builds are named; the first one is used. */
async function polymer({ tree }: NodeApp): Promise<AppShape> {
  const { builds } = await readJson(tree, 'polymer.json');
  const first = childRecord({ first: Array.isArray(builds) ? (builds as unknown[])[0] : undefined }, 'first');
  const name = textOrNull(first['name']) ?? textOrNull(first['preset']);
  return spa(name && /^[\w.-]+$/.test(name) ? `build/${name}` : 'build/default');
}

/** Component libraries use it as well; a site has a page. */
async function stencil({ tree }: NodeApp): Promise<AppShape | undefined> {
  return (await tree.read('src/index.html')) === undefined ? undefined : spa('www');
}

async function sapper({ pkg }: NodeApp): Promise<AppShape> {
  return /\bsapper export\b/.test(pkg.scripts.get('build') ?? '')
    ? { output: '__sapper__/export' }
    : { start: 'node __sapper__/build', port: 3000 };
}

/** A mobile app, and a web app with react-native-web. */
async function expo({ pkg }: NodeApp): Promise<AppShape | undefined> {
  return pkg.dependencies.has('react-native-web') ? spa('dist') : undefined;
}
