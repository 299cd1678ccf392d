import type { Framework } from './framework.ts';

const server = (id: string, name: string, packages: string[], port = 3000): Framework => ({
  id,
  name,
  packages,
  runtimeOnly: true,
  shape: { port },
});

/** Server libraries: the app's scripts and files define how it is built and started. */
export const servers: Framework[] = [
  {
    ...server('nestjs', 'NestJS', ['@nestjs/core']),
    build: 'nest build',
    // `start` compiles again; `start:prod` runs the build.
    startScripts: ['start:prod', 'start'],
    shape: { start: 'node dist/main', port: 3000 },
  },
  server('feathers', 'Feathers', ['@feathersjs/feathers'], 3030),
  server('elysia', 'Elysia', ['elysia']),
  server('hono', 'Hono', ['hono']),
  server('fastify', 'Fastify', ['fastify']),
  server('koa', 'Koa', ['koa']),
  server('hapi', 'hapi', ['@hapi/hapi']),
  server('loopback', 'LoopBack', ['@loopback/core']),
  server('h3', 'h3', ['h3']),
  server('polka', 'Polka', ['polka']),
  server('restify', 'restify', ['restify'], 8080),
  server('apollo-server', 'Apollo Server', ['@apollo/server', 'apollo-server'], 4000),
  server('express', 'Express', ['express']),
];
