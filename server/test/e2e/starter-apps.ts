// Framework starters from their own documentation, in the majors that run on the oldest Node that Mooring supports.

import { openWebSocket } from '../rig/web-socket.ts';

export interface Starter {
  name: string;
  /** The text of its page. */
  text: string;
  package: object;
  files: Record<string, string>;
  /** Additional checks. */
  check?(url: string): Promise<void>;
}

const page = (text: string) => `<!doctype html><html><head><title>${text}</title></head><body>`;

const next: Starter = {
  name: 'next',
  text: 'Hello from Next.js',
  package: {
    scripts: { build: 'next build', start: 'next start' },
    dependencies: { next: '^16.0.0', react: '^19.0.0', 'react-dom': '^19.0.0' },
  },
  files: {
    'app/layout.jsx': `export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n`,
    'app/page.jsx': `export default () => <h1>Hello from Next.js</h1>;\n`,
  },
};

const nuxt: Starter = {
  name: 'nuxt',
  text: 'Hello from Nuxt',
  package: {
    type: 'module',
    scripts: { build: 'nuxt build', postinstall: 'nuxt prepare' },
    dependencies: { nuxt: '~4.0.0', vue: '^3.5.0' },
  },
  files: {
    'nuxt.config.ts': `export default defineNuxtConfig({ compatibilityDate: '2025-07-15' });\n`,
    'app/app.vue': `<template><h1>Hello from Nuxt</h1></template>\n`,
  },
};

const astro: Starter = {
  name: 'astro',
  text: 'Hello from Astro',
  package: { type: 'module', scripts: { build: 'astro build' }, dependencies: { astro: '^5.0.0' } },
  files: {
    'astro.config.mjs': `import { defineConfig } from 'astro/config';\nexport default defineConfig({});\n`,
    'src/pages/index.astro': `---\n---\n${page('Hello from Astro')}<h1>Hello from Astro</h1></body></html>\n`,
  },
};

const svelteKit: Starter = {
  name: 'sveltekit',
  text: 'Hello from SvelteKit',
  package: {
    type: 'module',
    scripts: { build: 'vite build' },
    devDependencies: {
      '@sveltejs/adapter-node': '^5.0.0',
      '@sveltejs/kit': '^2.0.0',
      '@sveltejs/vite-plugin-svelte': '^6.0.0',
      svelte: '^5.0.0',
      vite: '^7.0.0',
    },
  },
  files: {
    'svelte.config.js': `import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };\n`,
    'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };\n`,
    'src/app.html': `${page('App').replace('</head>', '%sveltekit.head%</head>')}<div>%sveltekit.body%</div></body></html>\n`,
    'src/routes/+page.svelte': `<h1>Hello from SvelteKit</h1>\n`,
  },
};

const nest: Starter = {
  name: 'nest',
  text: 'Hello from NestJS',
  package: {
    scripts: { build: 'nest build', start: 'nest start', 'start:prod': 'node dist/main' },
    dependencies: {
      '@nestjs/common': '^11.0.0',
      '@nestjs/core': '^11.0.0',
      '@nestjs/platform-express': '^11.0.0',
      'reflect-metadata': '^0.2.0',
      rxjs: '^7.8.0',
    },
    devDependencies: { '@nestjs/cli': '^11.0.0', '@types/node': '^22.0.0', typescript: '^5.9.0' },
  },
  files: {
    'nest-cli.json': JSON.stringify({ sourceRoot: 'src' }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'commonjs',
        target: 'es2022',
        outDir: 'dist',
        experimentalDecorators: true,
        emitDecoratorMetadata: true,
        skipLibCheck: true,
      },
      include: ['src'],
    }),
    'src/main.ts': `import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Controller()
class AppController {
  @Get()
  hello(): string {
    return 'Hello from NestJS';
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

void NestFactory.create(AppModule).then((app) => app.listen(process.env.PORT ?? 3000));
`,
  },
};

const remix: Starter = {
  name: 'remix',
  text: 'Hello from Remix',
  package: {
    type: 'module',
    scripts: { build: 'remix vite:build', start: 'remix-serve ./build/server/index.js' },
    dependencies: {
      '@remix-run/node': '^2.17.0',
      '@remix-run/react': '^2.17.0',
      '@remix-run/serve': '^2.17.0',
      isbot: '^4.1.0',
      react: '^18.2.0',
      'react-dom': '^18.2.0',
    },
    devDependencies: { '@remix-run/dev': '^2.17.0', vite: '^6.0.0' },
  },
  files: {
    'vite.config.js': `import { vitePlugin as remix } from '@remix-run/dev';\nexport default { plugins: [remix()] };\n`,
    'app/root.jsx': `import { Outlet, Scripts } from '@remix-run/react';
export default function App() {
  return <html lang="en"><body><Outlet /><Scripts /></body></html>;
}
`,
    'app/routes/_index.jsx': `export default function Index() {\n  return <h1>Hello from Remix</h1>;\n}\n`,
  },
};

const angular: Starter = {
  name: 'angular',
  text: 'Hello from Angular',
  package: {
    scripts: { start: 'ng serve', build: 'ng build' },
    dependencies: {
      '@angular/common': '^20.0.0',
      '@angular/compiler': '^20.0.0',
      '@angular/core': '^20.0.0',
      '@angular/platform-browser': '^20.0.0',
      rxjs: '~7.8.0',
      tslib: '^2.3.0',
    },
    devDependencies: {
      '@angular/build': '^20.0.0',
      '@angular/cli': '^20.0.0',
      '@angular/compiler-cli': '^20.0.0',
      typescript: '~5.9.0',
    },
  },
  files: {
    'angular.json': JSON.stringify({
      version: 1,
      projects: {
        starter: {
          projectType: 'application',
          root: '',
          sourceRoot: 'src',
          architect: {
            build: {
              builder: '@angular/build:application',
              options: { browser: 'src/main.ts', index: 'src/index.html', tsConfig: 'tsconfig.json' },
            },
          },
        },
      },
    }),
    'tsconfig.json': JSON.stringify({
      compilerOptions: { target: 'ES2022', module: 'preserve', strict: true, skipLibCheck: true },
      files: ['src/main.ts'],
    }),
    'src/index.html': `${page('Hello from Angular')}<app-root></app-root></body></html>\n`,
    'src/main.ts': `import { Component, provideZonelessChangeDetection } from '@angular/core';
import { bootstrapApplication } from '@angular/platform-browser';

@Component({ selector: 'app-root', template: '<h1>Hello</h1>' })
class App {}

bootstrapApplication(App, { providers: [provideZonelessChangeDetection()] });
`,
  },
};

const docusaurus: Starter = {
  name: 'docusaurus',
  text: 'Hello from Docusaurus',
  package: {
    scripts: { start: 'docusaurus start', build: 'docusaurus build', serve: 'docusaurus serve' },
    dependencies: {
      '@docusaurus/core': '^3.9.0',
      '@docusaurus/preset-classic': '^3.9.0',
      react: '^19.0.0',
      'react-dom': '^19.0.0',
    },
    // 4.7.1 depends on a version of @docsearch/core that was never published.
    overrides: { '@docsearch/react': '4.7.0' },
  },
  files: {
    'docusaurus.config.js': `module.exports = {
  title: 'Starter',
  url: 'https://example.com',
  baseUrl: '/',
  presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]],
};
`,
    'docs/intro.md': `---\nslug: /\n---\n\n# Hello from Docusaurus\n`,
  },
};

const eleventy: Starter = {
  name: 'eleventy',
  text: 'Hello from Eleventy',
  package: { scripts: { build: 'eleventy' }, devDependencies: { '@11ty/eleventy': '3.1.2' } },
  files: { 'index.md': '# Hello from Eleventy\n' },
};

const chat: Starter = {
  name: 'chat',
  text: 'Hello from the chat',
  package: { scripts: { start: 'node server.js' }, dependencies: { ws: '^8.18.0' } },
  files: {
    'server.js': `const { createServer } = require('node:http');
const { WebSocketServer } = require('ws');

const server = createServer((_request, response) => response.end('Hello from the chat'));
const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket) =>
  socket.on('message', (message) => sockets.clients.forEach((each) => each.send(String(message)))),
);
server.listen(process.env.PORT);
`,
  },
  async check(url) {
    const socket = await openWebSocket(url);
    await socket.echo('hello');
    await socket.close();
  },
};

export const starters = [next, nuxt, astro, svelteKit, nest, remix, angular, docusaurus, eleventy, chat];
