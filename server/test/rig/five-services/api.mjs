// Stores every order in PostgreSQL and, as a job for the worker, in Redis.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { postgres, redis } from './clients.mjs';

const { VERSION: version } = process.env;
const release = `${version} ${Date.now()}`;

async function figures() {
  const [[orders, done]] = await postgres('select (select count(*) from orders), (select count(*) from results)');
  return `api ${version} orders ${orders} done ${done} known ${await redis('SCARD', 'known')} visits ${await redis('INCR', 'visits')}`;
}

/** The settings that the databases report. */
async function settings() {
  const [[connections]] = await postgres('show max_connections');
  return `connections ${connections} memory ${(await redis('CONFIG', 'GET', 'maxmemory'))[1]}`;
}

/** Idempotent: a retry places no second order. */
async function place() {
  const key = randomUUID();
  await postgres(`insert into orders (key) values ('${key}') on conflict do nothing`);
  await redis('SADD', 'known', key);
  await redis('RPUSH', 'jobs', key);
  return `api ${version} placed ${key}`;
}

async function answer(request, response) {
  response.setHeader('x-release', release);
  try {
    const body = await text(request);
    if (request.method === 'POST') response.end(`${await place()} ${body}`);
    else response.end(await (request.url === '/settings' ? settings() : figures()));
  } catch (error) {
    response.statusCode = 503;
    response.end(`api ${version} has no luck: ${error.message}`);
  }
}

const server = createServer((request, response) => void answer(request, response));
server.listen(3000, '0.0.0.0');
process.on('SIGTERM', () => server.close(() => process.exit(0)));
