import { posix } from 'node:path';
import { readJson } from '../json.ts';
import { plainPath } from '../plain-names.ts';
import { insidePath } from '../sub-tree.ts';
import { childRecord } from '../records.ts';
import { buildScripts, configFlag, configText, configValue, optionValue } from './app.ts';
import type { NodeApp } from './app.ts';
import { olderSiteFrameworks } from './older-sites.ts';
import { spa } from './framework.ts';
import type { Framework, AppShape } from './framework.ts';

const buildScript = ({ pkg: { scripts } }: NodeApp) =>
  scripts.get([...buildScripts, 'docs:build'].find((name) => scripts.has(name)) ?? '');

/** Frameworks and bundlers with a static output. Bundlers come last, because many others contain one. */
export const siteFrameworks: Framework[] = [
  { id: 'gatsby', name: 'Gatsby', packages: ['gatsby'], build: 'gatsby build', shape: { output: 'public' } },
  {
    id: 'docusaurus',
    name: 'Docusaurus',
    packages: ['@docusaurus/core'],
    build: 'docusaurus build',
    shape: async (app) => ({ output: optionValue(buildScript(app), '--out-dir') ?? 'build' }),
  },
  {
    id: 'vitepress',
    name: 'VitePress',
    packages: ['vitepress'],
    buildScripts: ['build', 'docs:build'],
    build: 'vitepress build',
    shape: vitePress,
  },
  {
    id: 'vuepress',
    name: 'VuePress',
    packages: ['vuepress'],
    buildScripts: ['build', 'docs:build'],
    build: 'vuepress build',
    shape: vuePress,
  },
  { id: 'eleventy', name: 'Eleventy', packages: ['@11ty/eleventy'], build: '@11ty/eleventy', shape: eleventy },
  {
    id: 'scully',
    name: 'Scully',
    packages: ['@scullyio/scully'],
    shape: { output: 'dist/static' },
  },
  { id: 'angular', name: 'Angular', packages: ['@angular/core'], build: 'ng build', shape: angular },
  ...olderSiteFrameworks,
  {
    id: 'create-react-app',
    name: 'Create React App',
    packages: ['react-scripts'],
    build: 'react-scripts build',
    shape: spa('build'),
  },
  {
    id: 'create-react-app',
    name: 'Create React App (ejected)',
    packages: ['react-dev-utils'],
    shape: ejectedReactApp,
  },
  {
    id: 'vue-cli',
    name: 'Vue CLI',
    packages: ['@vue/cli-service'],
    build: 'vue-cli-service build',
    shape: async (app) => spa(configValue(await configText(app, 'vue.config'), 'outputDir') ?? 'dist'),
  },
  { id: 'solid', name: 'Solid', packages: ['@solidjs/vite-plugin'], build: 'vite build', shape: solid },
  { id: 'vite', name: 'Vite', packages: ['vite', 'rolldown-vite'], build: 'vite build', shape: vite },
  {
    id: 'rsbuild',
    name: 'Rsbuild',
    packages: ['@rsbuild/core'],
    build: 'rsbuild build',
    shape: spa('dist'),
  },
  {
    id: 'parcel',
    name: 'Parcel',
    packages: ['parcel', 'parcel-bundler'],
    shape: async (app) =>
      buildScript(app) ? spa(optionValue(buildScript(app), '--dist-dir', '--out-dir', '-d') ?? 'dist') : undefined,
  },
];

/** Tools with many other uses; their output counts only if the build script names it. */
export const lastSiteFrameworks: Framework[] = [
  {
    id: 'storybook',
    name: 'Storybook',
    packages: ['storybook'],
    shape: async (app) =>
      /\b(storybook build|build-storybook)\b/.test(buildScript(app) ?? '') ? { output: 'storybook-static' } : undefined,
  },
  { id: 'snowpack', name: 'Snowpack', packages: ['snowpack'], build: 'snowpack build', shape: spa('build') },
  { id: 'webpack', name: 'webpack', packages: ['webpack'], shape: webpack },
  {
    id: 'gulp',
    name: 'gulp',
    packages: ['gulp'],
    shape: async (app) =>
      /^gulp\b/.test(buildScript(app) ?? '')
        ? { output: destination.exec(await configText(app, 'gulpfile', 'gulpfile.babel'))?.[1] ?? 'dist' }
        : undefined,
  },
];

const destination = /\bdest\(\s*['"`](?:\.\/)?(public|dist|build|out|output|_site|www|site)\b/;

/** webpack also builds servers and libraries; a site has a page. */
async function webpack(app: NodeApp): Promise<AppShape | undefined> {
  if (!/\bwebpack\b/.test(buildScript(app) ?? '')) return undefined;
  const stems = ['webpack.config', 'webpack.common', 'webpack.prod', 'webpack.config.prod', 'webpack.config.common'];
  const config = await configText(app, ...stems);
  const named = /\bpath\s*:\s*(?:path\.)?(?:resolve|join)\(\s*__dirname\s*,\s*['"`]([\w./-]{1,100})['"`]\s*\)/.exec(
    config,
  )?.[1];
  const output = optionValue(buildScript(app), '--output-path', '-o') ?? named ?? 'dist';
  const hasPage =
    app.pkg.allDependencies.has('html-webpack-plugin') ||
    (await app.tree.read(posix.join(insidePath(output) ?? '', 'index.html'))) !== undefined;
  return hasPage ? spa(output) : undefined;
}

/** `eject` copies the scripts and the paths of Create React App into the source. */
async function ejectedReactApp({ tree, pkg }: NodeApp): Promise<AppShape | undefined> {
  const paths = await tree.read('config/paths.js');
  if (paths === undefined || !pkg.scripts.has('build')) return undefined;
  return spa(/\bappBuild: resolveApp\(['"]([\w./-]{1,100})['"]\)/.exec(paths)?.[1] ?? 'build');
}

async function vitePress(app: NodeApp): Promise<AppShape> {
  const inScript = /\bvitepress build\s+([\w./-]+)/.exec(buildScript(app) ?? '')?.[1];
  const folder = inScript ?? (app.names.has('.vitepress/') || !app.names.has('docs/') ? '' : 'docs');
  return { output: posix.join(folder, '.vitepress/dist') };
}

/** The script names the folder: `vuepress build docs`. */
async function vuePress(app: NodeApp): Promise<AppShape> {
  const inScript = /\bvuepress(?:-\w+)? build\s+([\w./-]+)/.exec(buildScript(app) ?? '')?.[1];
  return { output: posix.join(inScript ?? (app.names.has('docs/') ? 'docs' : ''), '.vuepress/dist') };
}

async function eleventy(app: NodeApp): Promise<AppShape> {
  const config = await configText(app, '.eleventy', 'eleventy.config');
  return { output: optionValue(buildScript(app), '--output') ?? configValue(config, 'output') ?? '_site' };
}

/** Vite is also used for tests and libraries; an app has a page. */
async function vite(app: NodeApp): Promise<AppShape | undefined> {
  const config = await configText(app, 'vite.config');
  const root = configValue(config, 'root') ?? '';
  if ((await app.tree.read(posix.join(root, 'index.html'))) === undefined) return undefined;
  const output = optionValue(buildScript(app), '--outDir') ?? configValue(config, 'outDir') ?? 'dist';
  const libraries = { react: 'React', preact: 'Preact', vue: 'Vue', svelte: 'Svelte', 'solid-js': 'Solid', lit: 'Lit' };
  const library = Object.entries(libraries).find(([name]) => app.pkg.allDependencies.has(name))?.[1];
  return { ...spa(posix.join(root, output)), ...(library && { note: `with ${library}` }) };
}

/** With `start: true`, the plugin makes the page. */
async function solid(app: NodeApp): Promise<AppShape | undefined> {
  const config = await configText(app, 'vite.config');
  return configFlag(config, 'start', true) && !configFlag(config, 'ssr', true) ? spa('dist/client') : undefined;
}

async function angular(app: NodeApp): Promise<AppShape | undefined> {
  const { projects } = await readJson(app.tree, 'angular.json');
  const name = Object.keys(childRecord(projects)).find(
    (each) => childRecord(projects, each)['projectType'] !== 'library',
  );
  // A library of an Angular workspace has the dependency, but no build.
  if (!name) return undefined;
  const build = childRecord(projects, name, 'architect', 'build');
  const { outputPath, outputMode, ssr } = childRecord(build, 'options');
  const base = [outputPath, childRecord(outputPath)['base']].find((path) => typeof path === 'string') ?? `dist/${name}`;
  const plain = plainPath(base) ?? 'dist';
  if (outputMode !== 'static' && (ssr || app.pkg.dependencies.has('@angular/ssr')))
    return { start: `node ${posix.join(plain, 'server/server.mjs')}`, port: 4000, note: 'rendered on the server' };
  // The newer builder has a separate folder for the browser.
  return spa(String(build['builder']).endsWith(':application') ? posix.join(base, 'browser') : base);
}
