import { json } from './deploy.ts';
import { makeImage, node } from './docker-images.ts';
import { type Killable, startKillable } from './killable.ts';
import { type ManagedServer, startManagedServer } from './managed-server.ts';
import type { StackShown } from './stack-stage.ts';
import type { ScannedStack } from '../../src/areas/migration/stack/schemas.ts';
import { until } from './until.ts';

export type Body = Record<string, unknown>;
export type Found = {
  Id: string;
  State: { Running: boolean; Paused: boolean; StartedAt: string; FinishedAt: string };
  HostConfig: { RestartPolicy: { Name: string; MaximumRetryCount: number } };
};
export type Planned = { name: string; change: string; strategy: string | null; reason: string | null };
export type Scanned = Pick<ScannedStack, 'adoptable' | 'alreadyManaged' | 'services'>;
export type Undone = { restored: string[]; warnings: string[] };
export type Adoption = {
  state: string;
  canUndo: boolean;
  services: {
    name: string;
    stopsFirst: boolean;
    originals: { id: string; name: string; standing: string; running: boolean | null }[];
  }[];
};

/** A server with containers that were started by hand, and a service that can be killed. */
export interface Quay {
  server: ManagedServer;
  killable: Killable;
  /** Runs a container as a person would; returns its id. */
  run(name: string, body?: Body): Promise<string>;
  /** Undefined if it is gone. */
  look(id: string): Promise<Found | undefined>;
  adopt(projectName: string, serviceNames: string[], more?: object): Promise<string>;
  scanned(): Promise<Scanned>;
  plan(projectId: string): Promise<Planned[]>;
  /** Starts a deployment of the adopted project; returns its id. */
  begin(projectId: string): Promise<string>;
  settled(id: string): Promise<StackShown>;
  deployed(projectId: string): Promise<StackShown>;
  undo(projectId: string): Promise<Response>;
  undone(projectId: string): Promise<Undone>;
  confirm(projectId: string): Promise<Response>;
  shown(projectId: string): Promise<Adoption>;
  /** Our running containers by service. */
  ours(projectId: string): Promise<Record<string, string>>;
  /** The running containers of a service: the original and ours. */
  running(service: string, before: string): Promise<number>;
  close(): Promise<void>;
}

type More = { labels?: Record<string, string>; slowStopMs?: number; isRemovedAtItsEnd?: boolean };

const ending = ({ slowStopMs = 0 }: More) =>
  `process.on('SIGTERM', () => setTimeout(() => process.exit(0), ${slowStopMs}));`;

/** Responds with its container and the number of requests counted in the volume. */
const webProgram = `
const { appendFileSync, statSync } = require('node:fs');
const file = '/data/visits';
require('node:http').createServer((request, response) => {
  appendFileSync(file, 'x');
  response.end(require('node:os').hostname() + ' ' + statSync(file).size);
}).listen(8080);`;

/** Runs only in the container that first had the volume. */
const pickyProgram = `
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const [file, name] = ['/data/owner', require('node:os').hostname()];
if (!existsSync(file)) writeFileSync(file, name);
if (readFileSync(file, 'utf8') !== name) process.exit(3);
require('node:http').createServer((request, response) => response.end(name)).listen(8080);`;

const published = (program: string, port: number, volume: string, more: More): Body => ({
  Cmd: ['node', '-e', program + ending(more)],
  Labels: more.labels ?? {},
  ExposedPorts: { '8080/tcp': {} },
  HostConfig: {
    Binds: [`${volume}:/data`],
    PortBindings: { '8080/tcp': [{ HostPort: String(port) }] },
    RestartPolicy: { Name: 'unless-stopped' },
  },
});

export const web = (port: number, volume: string, more: More = {}) => published(webProgram, port, volume, more);
export const picky = (port: number, volume: string, more: More = {}) => published(pickyProgram, port, volume, more);
export const worker = (more: More = {}): Body => ({
  Cmd: ['node', '-e', `setInterval(() => {}, 1000);${ending(more)}`],
  HostConfig: more.isRemovedAtItsEnd
    ? { AutoRemove: true }
    : { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 } },
});

const settledMs = 90_000;

/** `settings` are those of the server, `within` words in front of its engine's command. */
export async function startQuay(settings: object = {}, within: string[] = []): Promise<Quay> {
  const server = await startManagedServer('elsewhere', [], {}, within);
  const { client } = server.docker;
  const closing: (() => unknown)[] = [() => server.close()];
  const close = async () => {
    for (const each of closing.toReversed()) await each();
  };
  try {
    await makeImage(client, node);
    const killable = await startKillable({ MOORING_START_TIMEOUT: '15', MOORING_RUNTIME: 'process' });
    closing.push(() => killable.now.stop());
    const body = { ...server.body, baseDomain: 'apps.example.com', ...settings };
    const added = await json<{ data: { id: string } }>(killable.now.post('/api/servers', body));
    return { server, killable, close, ...asking(server, killable, added.data.id) };
  } catch (error) {
    await close();
    throw error;
  }
}

type Listed = { Id: string; State: string; Labels: Record<string, string> };

function asking({ docker: { client } }: ManagedServer, killable: Killable, serverId: string) {
  const post = <T>(path: string, body: object = {}) => json<T>(killable.now.post(path, body));
  const begin = async (projectId: string) =>
    (await post<{ deployment_id: string }>('/api/deployments/build/access', { projectId })).deployment_id;
  const get = <T>(path: string) => json<{ data: T }>(killable.now.get(path)).then(({ data }) => data);
  const settled = (id: string) =>
    until(
      `${id} is over, or waits for a decision`,
      async () => {
        const now = await get<StackShown>(`/api/deployments/${id}`);
        return ['queued', 'building', 'deploying'].includes(now.status) ? undefined! : now;
      },
      settledMs,
    );
  const running = () => client.json<Listed[]>({ method: 'GET', path: '/containers/json' });
  const undo = (projectId: string) => killable.now.post(`/api/migration/${projectId}/undo`, {});
  return {
    begin,
    settled,
    undo,
    async run(name: string, body: Body = {}) {
      const path = `/containers/create?name=${name}`;
      const { Id } = await client.json<{ Id: string }>({ method: 'POST', path, body: { Image: node.name, ...body } });
      await client.json({ method: 'POST', path: `/containers/${Id}/start` });
      return Id;
    },
    look: (id: string) =>
      client.json<Found>({ method: 'GET', path: `/containers/${id}/json` }).catch((error: { status?: number }) => {
        if (error.status === 404) return undefined;
        throw error;
      }),
    adopt: async (projectName: string, serviceNames: string[], more: object = {}) =>
      (await post<{ project_id: string }>('/api/migration/adopt', { serverId, projectName, serviceNames, ...more }))
        .project_id,
    scanned: async () => (await post<{ stack: Scanned }>('/api/migration/scan', { serverId })).stack,
    plan: async (projectId: string) =>
      (await post<{ data: { services: Planned[] } }>('/api/deployments/plan', { projectId })).data.services,
    deployed: async (projectId: string) => settled(await begin(projectId)),
    undone: (projectId: string) => json<Undone>(undo(projectId)),
    confirm: (projectId: string) => killable.now.post(`/api/migration/${projectId}/confirm`, {}),
    shown: (projectId: string) => get<Adoption>(`/api/migration/${projectId}`),
    running: async (service: string, before: string) =>
      (await running()).filter(({ Id, Labels }) => Id === before || Labels['mooring.service'] === service).length,
    async ours(projectId: string) {
      const all = await running();
      const own = all.filter(({ Labels }) => Labels['mooring.project'] === projectId);
      return Object.fromEntries(own.map(({ Id, Labels }) => [Labels['mooring.service'] ?? '', Id]));
    },
  };
}

/** Sends requests to a published port continuously; reports which containers responded, and gaps. */
export function visit(url: string): { stop(): Promise<{ answers: string[]; failed: number; gapMs: number }> } {
  const answers: string[] = [];
  let [failed, gapMs, last] = [0, 0, Date.now()];
  const stopping = new AbortController();
  const all = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const answer = await fetch(url, { signal: AbortSignal.timeout(2000), headers: { connection: 'close' } });
        answers.push(await answer.text());
        gapMs = Math.max(gapMs, Date.now() - last);
        last = Date.now();
      } catch {
        failed++;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await all;
      return { answers, failed, gapMs };
    },
  };
}

/** A response contains the start of the container's id and the volume's request count. */
export const countIn = (answer = ''): number => Number(answer.split(' ')[1]);
/** The containers that responded, in order. */
export const whoIn = (answers: string[]): string[] => [...new Set(answers.map((answer) => answer.split(' ')[0]!))];

/** The response as soon as the port is open: a new container needs a moment. */
export const asked = (url: string): Promise<string> =>
  until(`${url} answers`, async () => (await fetch(url, { headers: { connection: 'close' } })).text());
