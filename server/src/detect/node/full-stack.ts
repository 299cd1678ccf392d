import { plainPath } from '../plain-names.ts';
import { configFlag, configText, configValue, hasMajor } from './app.ts';
import type { NodeApp } from './app.ts';
import type { Framework, AppShape } from './framework.ts';

/** Server output of Nitro, which several frameworks use. */
const nitroServer = 'node .output/server/index.mjs';

/** Frameworks that produce a server or a site, by configuration. */
export const fullStackFrameworks: Framework[] = [
  { id: 'next', name: 'Next.js', packages: ['next'], build: 'next build', shape: next },
  { id: 'nuxt', name: 'Nuxt', packages: ['nuxt', 'nuxt3', 'nuxt-nightly'], build: 'nuxt build', shape: nuxt },
  { id: 'sveltekit', name: 'SvelteKit', packages: ['@sveltejs/kit'], build: 'vite build', shape: svelteKit },
  { id: 'astro', name: 'Astro', packages: ['astro'], build: 'astro build', shape: astro },
  {
    id: 'react-router',
    name: 'React Router',
    packages: ['@react-router/dev'],
    build: 'react-router build',
    shape: (app) => reactRouter(app, 'react-router.config', 'react-router-serve ./build/server/index.js'),
  },
  {
    id: 'remix',
    name: 'Remix',
    packages: ['@remix-run/dev'],
    build: 'remix build',
    shape: async (app) => reactRouter(app, 'vite.config', `remix-serve ${await remixServer(app)}`),
  },
  {
    id: 'tanstack-start',
    name: 'TanStack Start',
    packages: ['@tanstack/react-start', '@tanstack/solid-start', '@tanstack/start'],
    build: 'vite build',
    shape: tanStack,
  },
  {
    id: 'solidstart',
    name: 'SolidStart',
    packages: ['@solidjs/start'],
    build: 'vinxi build',
    shape: { start: nitroServer, port: 3000 },
  },
  {
    id: 'solidstart',
    name: 'SolidStart',
    packages: ['solid-start'],
    build: 'solid-start build',
    shape: { start: 'solid-start start', port: 3000 },
  },
  {
    id: 'analog',
    name: 'Analog',
    packages: ['@analogjs/platform'],
    build: 'vite build',
    shape: { start: 'node dist/analog/server/index.mjs', port: 3000 },
  },
  {
    id: 'nitro',
    name: 'Nitro',
    packages: ['nitropack', 'nitro'],
    build: 'nitro build',
    shape: { start: nitroServer, port: 3000 },
  },
];

async function next(app: NodeApp): Promise<AppShape> {
  const config = await configText(app, 'next.config');
  if (configValue(config, 'output') === 'export')
    return { output: configValue(config, 'distDir') ?? 'out', note: "output: 'export' in the configuration" };
  // Before version 13.3 it was a command.
  if (/\bnext export\b/.test(app.pkg.scripts.get('build') ?? '')) return { output: 'out', note: 'next export' };
  return { start: 'next start', port: 3000 };
}

async function nuxt(app: NodeApp): Promise<AppShape> {
  const config = await configText(app, 'nuxt.config');
  if (hasMajor(app, 'nuxt', 2))
    return configValue(config, 'target') === 'static' ? { output: 'dist' } : { start: 'nuxt start', port: 3000 };
  if (
    !/\b(nuxt|nuxi) generate\b/.test(app.pkg.scripts.get('build') ?? '') &&
    configValue(config, 'preset') !== 'static'
  )
    return foreignPreset(config) ?? { start: nitroServer, port: 3000 };
  const fallback = configFlag(config, 'ssr', false) ? '200.html' : undefined;
  return { output: '.output/public', fallback, note: 'generated as a static site' };
}

/** Nitro presets produce a Node program, except those for platforms. */
function foreignPreset(config: string): AppShape | undefined {
  const preset = configValue(config, 'preset');
  if (!preset || /^(?:node|bun|deno[-_]server)/.test(preset)) return undefined;
  return { start: null, port: 3000, note: 'its preset targets another platform; set nitro.preset to node-server' };
}

async function svelteKit(app: NodeApp): Promise<AppShape> {
  // The adapter is usually in svelte.config.js, but may be in vite.config.js.
  const config = (await configText(app, 'svelte.config')) || (await configText(app, 'vite.config'));
  const uses = (adapter: string) =>
    config.includes('@sveltejs/adapter-') ? config.includes(adapter) : app.pkg.allDependencies.has(adapter);
  if (uses('@sveltejs/adapter-static')) {
    const output = configValue(config, 'pages') ?? 'build';
    return { output, fallback: configValue(config, 'fallback'), note: 'adapter-static' };
  }
  if (uses('@sveltejs/adapter-node'))
    return { start: `node ${plainPath(configValue(config, 'out')) ?? 'build'}`, port: 3000, note: 'adapter-node' };
  const adapter = ['auto', 'vercel', 'netlify'].map((name) => `@sveltejs/adapter-${name}`).find(uses);
  if (!adapter)
    return {
      start: null,
      port: 3000,
      note: 'its adapter does not produce a server; use @sveltejs/adapter-node or adapter-static',
    };
  // These need no options, so the Node adapter can stand in under their name.
  const version = hasMajor(app, '@sveltejs/kit', 1) ? 1 : 5;
  return {
    add: `${adapter}@npm:@sveltejs/adapter-node@${version}`,
    start: 'node build',
    port: 3000,
    note: `adapter-node in place of ${adapter.slice(10)}, which makes no server here`,
  };
}

async function astro(app: NodeApp): Promise<AppShape> {
  const config = await configText(app, 'astro.config');
  const output = plainPath(configValue(config, 'outDir')) ?? 'dist';
  if (config.includes('@astrojs/node') && /\badapter\s*:/.test(config))
    return { start: `node ${output}/server/entry.mjs`, port: 4321, note: 'with the Node adapter' };
  if (/\badapter\s*:/.test(config))
    return { start: null, port: 4321, note: 'its adapter targets another platform; use @astrojs/node' };
  return { output };
}

/** Remix and its successor: a server, or a client-side app with `ssr: false`. */
async function reactRouter(app: NodeApp, stem: string, start: string): Promise<AppShape> {
  const config = await configText(app, stem);
  if ((await configText(app, 'vite.config')).includes('@cloudflare/vite-plugin'))
    return { start: null, port: 3000, note: 'its configuration targets Cloudflare; remove @cloudflare/vite-plugin' };
  if (!configFlag(config, 'ssr', false)) return { start, port: 3000 };
  const fallback = /\bprerender\b/.test(config) ? '__spa-fallback.html' : 'index.html';
  return { output: 'build/client', fallback, note: 'ssr: false' };
}

/** Remix 1 had its own compiler; later versions use Vite. */
const remixServer = async (app: NodeApp) =>
  (await configText(app, 'vite.config')) ? './build/server/index.js' : './build/index.js';

async function tanStack(app: NodeApp): Promise<AppShape> {
  const config = await configText(app, 'vite.config', 'app.config');
  const usesNitro = ['nitro', 'nitropack', 'vinxi'].some((name) => app.pkg.allDependencies.has(name));
  if (usesNitro || /\bnitro/.test(config)) return { start: nitroServer, port: 3000 };
  if (/\bcloudflare\b/.test(config))
    return { start: null, port: 3000, note: 'its configuration targets Cloudflare; use nitro' };
  // The build makes a request handler; this package serves it with the assets.
  const isAdded = !app.pkg.allDependencies.has('srvx') && { add: 'srvx@1' };
  return { ...isAdded, start: 'srvx --prod -s ../client dist/server/server.js', port: 3000, note: 'served by srvx' };
}
