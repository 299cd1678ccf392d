import { plainPath } from '../plain-names.ts';
import type { NodeApp } from './app.ts';
import type { AppShape, Framework } from './framework.ts';
import { entryCommand, isForServers } from './start.ts';

const server = (id: string, name: string, packages: string[], port = 3000): Framework => ({
  id,
  name,
  packages,
  runtimeOnly: true,
  shape: { port },
});

/** Server libraries: the app's scripts and files define how it is built and started. */
export const serverFrameworks: Framework[] = [
  {
    ...server('nestjs', 'NestJS', ['@nestjs/core']),
    build: 'nest build',
    // `start` compiles again; `start:prod` runs the build.
    startScripts: ['start:prod', 'start'],
    shape: { start: 'node dist/main', port: 3000 },
  },
  {
    ...server('functions-framework', 'Functions Framework', ['@google-cloud/functions-framework'], 8080),
    shape: cloudFunction,
  },
  server('feathers', 'Feathers', ['@feathersjs/feathers'], 3030),
  server('elysia', 'Elysia', ['elysia']),
  { ...server('hono', 'Hono', ['hono']), shape: fetchHandler },
  server('fastify', 'Fastify', ['fastify']),
  server('koa', 'Koa', ['koa']),
  server('hapi', 'hapi', ['@hapi/hapi']),
  server('loopback', 'LoopBack', ['@loopback/core']),
  { ...server('h3', 'h3', ['h3']), shape: fetchHandler },
  server('polka', 'Polka', ['polka']),
  server('restify', 'restify', ['restify'], 8080),
  server('apollo-server', 'Apollo Server', ['@apollo/server', 'apollo-server'], 4000),
  { ...server('express', 'Express', ['express']), shape: fetchHandler },
];

/** An app that only exports its request handler gets a server, unless it is made for Cloudflare and its services. */
async function fetchHandler(app: NodeApp): Promise<AppShape> {
  const { manager, names, pkg, tree } = app;
  const start = pkg.scripts.get('start');
  const isForCloudflare = [...names, ...pkg.allDependencies.keys(), ...pkg.scripts.values()].some((text) =>
    /^wrangler\b/.test(text),
  );
  if (manager.name === 'bun' || pkg.scripts.has('build') || isForCloudflare || (start && isForServers(start)))
    return { port: 3000 };
  const { exporting } = await entryCommand(app, false);
  const isExpress = !['hono', 'h3'].some((name) => pkg.allDependencies.has(name));
  // A package for Express apps exports as well.
  const source = exporting ? ((await tree.read(exporting)) ?? '') : '';
  if (!exporting || (isExpress && !/\bexpress\s?\(/.test(source))) return { port: 3000 };
  return {
    add: 'srvx@1 tsx@4',
    start: `srvx --prod --import tsx ${exporting}`,
    port: 3000,
    note: `${exporting} only exports a handler, which srvx serves`,
  };
}

/** A function for Google Cloud: the framework's own server runs it by its name. */
async function cloudFunction({ tree, pkg }: NodeApp): Promise<AppShape> {
  const source = (await tree.read(plainPath(pkg.main) || 'index.js')) ?? '';
  const name = /\bfunctions\.(?:http|cloudEvent)\(\s*['"]([\w-]{1,63})['"]/.exec(source)?.[1];
  return { port: 8080, ...(name && { start: `functions-framework --target=${name}` }) };
}
