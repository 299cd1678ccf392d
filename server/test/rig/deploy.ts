import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newFolder } from './children.ts';
import type { Service } from './service.ts';
import { until } from './until.ts';

export type DeploymentJson = {
  id: string;
  projectId: string;
  status: string;
  active: boolean;
  urls: string[];
  error: { code: string; step: string; message: string; hint: string | null; excerpt: string[] } | null;
  commitSha: string | null;
  rollbackOf: string | null;
  timing: { totalMs: number | null };
};

/** Creates a folder with these files. */
export function folderOf(files: Record<string, string>): string {
  const folder = newFolder('source');
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** A small app that responds with its version; `more` is prepended to its program, `scripts` go into its
 * package.json. */
export const nodeApp = (version: string, more = '', scripts: Record<string, string> = {}): string =>
  folderOf({
    // Without a start script, `node server.js` runs without npm, whose start takes as long as a small test.
    'package.json': JSON.stringify({ name: 'app', version: '1.0.0', main: 'server.js', scripts }),
    'server.js': `${more}
const server = require('node:http').createServer((request, response) => {
  const answer = () => response.end(${JSON.stringify(version)} + (request.url === '/env' ? JSON.stringify(process.env) : ''));
  if (request.url === '/slow') setTimeout(answer, 1500); else answer();
});
server.listen(process.env.PORT, process.env.HOST, () => console.log('listening, version ${version}'));
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
  });

export async function json<T>(response: Response | Promise<Response>): Promise<T> {
  const answered = await response;
  if (!answered.ok) throw new Error(`${answered.url}: ${answered.status} ${await answered.text()}`);
  return (await answered.json()) as T;
}

export async function ensureProject(service: Service, name: string, fields: object = {}): Promise<string> {
  return (await json<{ project_id: string }>(service.post('/api/projects/ensure', { name, ...fields }))).project_id;
}

/** Uploads a folder; returns the id of the session. */
export async function upload(service: Service, folder: string): Promise<string> {
  type Session = { sessionId: string; upload: { url: string; method: string; headers: Record<string, string> } };
  const { sessionId, upload: to } = await json<Session>(service.post('/api/projects/folder/session', {}));
  const body = execFileSync('tar', ['-C', folder, '-czf', '-', '.'], { maxBuffer: 1 << 30 });
  await json(fetch(new URL(to.url, service.url), { method: to.method, headers: to.headers, body }));
  return sessionId;
}

/** Starts a deployment of a folder; returns its id. */
export async function begin(service: Service, projectId: string, folder: string, more: object = {}): Promise<string> {
  const body = { projectId, uploadSessionId: await upload(service, folder), ...more };
  return (await json<{ deployment_id: string }>(service.post('/api/deployments/build/access', body))).deployment_id;
}

export const get = async (service: Service, id: string): Promise<DeploymentJson> =>
  (await json<{ data: DeploymentJson }>(service.get(`/api/deployments/${id}`))).data;

const over = ['ready', 'failed', 'cancelled'];

/** Waits for the end of a deployment. */
export const ended = (service: Service, id: string, withinMs = 100_000): Promise<DeploymentJson> =>
  until(
    `deployment ${id} ends`,
    async () => {
      const deployment = await get(service, id);
      return over.includes(deployment.status) ? deployment : undefined!;
    },
    withinMs,
  );

export const deploy = async (service: Service, projectId: string, folder: string, more: object = {}) =>
  ended(service, await begin(service, projectId, folder, more));

export type Event = { id: number; event: string; data: Record<string, unknown> };

/** Returns all events of the stream, up to its end. */
export async function events(service: Service, id: string, since = 0): Promise<Event[]> {
  const response = await service.get(`/api/deployments/${id}/stream?since=${since}`);
  return (await response.text())
    .split('\n\n')
    .filter((block) => block.startsWith('id:'))
    .map((block) => {
      const [seq = '', event = '', data = ''] = block.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
      return { id: Number(seq), event, data: JSON.parse(data) as Record<string, unknown> };
    });
}

/** Sends a request to the edge with a project's host name, which does not resolve. */
export function ask(
  url: string,
  path = '/',
  method = 'GET',
  address = '127.0.0.1',
): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const to = { host: address, port, path, method, headers: { host: hostname }, agent: false };
    const sent = request(to, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode!, body }));
      response.once('error', reject);
    });
    sent.once('error', reject).end();
  });
}

/** Back to back, the requests of a lane would take a whole core from the deployment that they watch. */
const pauseMs = 4;

/** Sends requests continuously until stopped, in each lane one after that; returns the count of each response. */
export function askAllTheTime(
  url: string,
  lanes = 4,
  address?: string,
): { stop(): Promise<Map<string, number>>; slowest: { ms: number; at: string }[] } {
  const answers = new Map<string, number>();
  const slowest: { ms: number; at: string }[] = [];
  const stopping = new AbortController();
  const lane = async () => {
    for (let last = false; !last;) {
      last = stopping.signal.aborted;
      const began = Date.now();
      const answer = await ask(url, '/', 'GET', address).then(
        ({ status, body }) => `${status} ${body.slice(0, 20)}`,
        (error: Error) => `failed: ${error.message}`,
      );
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      slowest.push({ ms: Date.now() - began, at: new Date(began).toISOString().slice(11, 19) });
      slowest.sort((a, b) => b.ms - a.ms).splice(10);
      await sleep(pauseMs);
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, lane));
  return {
    /** The ten longest waits. */
    slowest,
    async stop() {
      stopping.abort();
      await all;
      return answers;
    },
  };
}
