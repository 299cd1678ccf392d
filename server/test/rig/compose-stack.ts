import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './children.ts';
import { node } from './docker-images.ts';
import type { Docker } from './docker.ts';

/** Counts the requests in its volume. */
const db = `
const { appendFileSync, statSync } = require('node:fs');
require('node:http').createServer((request, response) => {
  appendFileSync('/data/asked', 'x');
  response.end(require('node:os').hostname() + ' ' + statSync('/data/asked').size);
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));`;

/** Stateless; health checks are not counted. */
const web = `
require('node:http').createServer(async (request, response) => {
  if (request.headers['user-agent'] !== 'node') return response.end();
  response.end(require('node:os').hostname() + ' ' + (await (await fetch('http://db:8080/')).text()));
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));`;

const worker = `setInterval(() => {}, 1000); process.on('SIGTERM', () => process.exit(0));`;

const composeProgram = () =>
  execFileSync(process.execPath, [join(import.meta.dirname, '../../../scripts/compose.mjs')], {
    encoding: 'utf8',
  }).trim();

/** Starts a stack with Docker Compose, as a person would. The worker has two replicas. */
export function composeUp({ address }: Docker, port: number): { down(): void } {
  const folder = newFolder('store');
  const common = { image: node.name, restart: 'always' };
  const services = {
    web: { ...common, command: ['node', '-e', web], ports: [`${port}:8080`], depends_on: ['db'] },
    db: { ...common, command: ['node', '-e', db], volumes: ['data:/data'] },
    worker: { ...common, command: ['node', '-e', worker], scale: 2 },
  };
  writeFileSync(join(folder, 'compose.yaml'), JSON.stringify({ services, volumes: { data: {} } }));
  const compose = (...args: string[]) =>
    execFileSync(composeProgram(), ['-p', 'store', ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH']!, HOME: folder, DOCKER_HOST: address },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  compose('up', '-d');
  return { down: () => void compose('down', '-t', '0') };
}
