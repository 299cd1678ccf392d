import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { download } from './busy-app.ts';
import { openWebSocket } from './web-socket.ts';

/** The number of concurrent clients of each kind. */
export type Crowd = { fresh: number; kept: number; posts: number; sockets: number; downloads: number };

export const smallCrowd: Crowd = { fresh: 2, kept: 2, posts: 1, sockets: 1, downloads: 1 };

export type Figures = Record<keyof Crowd, number> & {
  requests: number;
  failures: string[];
  /** The slowest of the quick requests, and how many took longer than a second. */
  longestMs: number;
  overSecond: number;
  /** Responses by version. */
  versions: Map<string, number>;
};

/** Continuous clients of a `busyApp` that record every failure: a failed request, a truncated download, a closed
 * WebSocket, and a response of an outdated release. */
export interface Visitors {
  figures: Figures;
  /** From now on only processes that started with this release or later may respond to new requests. */
  expect(release: string): void;
  /** Allows this version to respond; any other is a failure. */
  allow(version: string): void;
  stop(): Promise<Figures>;
}

const pauseMs = 8;
const socketMs = 4000;

/** `address` is that of the edge. */
export function startVisitors(url: string, first: string, crowd: Crowd, address = '127.0.0.1'): Visitors {
  const allowed = new Set([first]);
  const stopping = new AbortController();
  const figures: Figures = {
    fresh: 0,
    kept: 0,
    posts: 0,
    sockets: 0,
    downloads: 0,
    requests: 0,
    failures: [],
    longestMs: 0,
    overSecond: 0,
    versions: new Map(),
  };
  let oldest = 0;
  const judge = (release: string, oldestThen: number): void => {
    const [version = '', began = '0'] = release.split(' ');
    figures.versions.set(version, (figures.versions.get(version) ?? 0) + 1);
    if (!allowed.has(version)) throw new Error(`answered by "${release}", which was never released`);
    if (Number(began) < oldestThen) throw new Error(`answered by ${release}, older than ${oldestThen}`);
  };
  const visits: Record<keyof Crowd, (agent: Agent | false) => Promise<void>> = {
    fresh: () => quick({ agent: false }),
    kept: (agent) => quick({ agent }),
    posts: (agent) => quick({ agent, body: `body ${figures.posts}` }),
    sockets() {
      const then = oldest;
      const judgeIt = (release: string) => judge(release, then);
      return talk({ url, address }, judgeIt, stopping.signal, () => figures.requests++);
    },
    async downloads() {
      const then = oldest;
      const { release, body } = await visit(url, '/download', { agent: false, address });
      judge(release, then);
      if (body !== download.piece.repeat(download.pieces)) throw new Error(`a download of ${body.length} bytes`);
    },
  };
  async function quick(options: { agent: Agent | false; body?: string }): Promise<void> {
    const then = oldest;
    const began = performance.now();
    const { release, body } = await visit(url, '/', { ...options, address });
    const took = performance.now() - began;
    figures.longestMs = Math.max(figures.longestMs, Math.round(took));
    if (took > 1000) figures.overSecond++;
    judge(release, then);
    if (!body.endsWith(options.body ?? '')) throw new Error(`an answer without the body: ${body}`);
  }
  const lane = async (kind: keyof Crowd) => {
    const agent = ['kept', 'posts'].includes(kind) && new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopping.signal.aborted) {
      const at = new Date().toISOString();
      await visits[kind](agent).catch((error: Error) => figures.failures.push(`${at} ${kind}: ${error.message}`));
      figures[kind]++;
      figures.requests++;
      await sleep(pauseMs);
    }
    if (agent) agent.destroy();
  };
  const kinds = Object.keys(crowd) as (keyof Crowd)[];
  const all = Promise.all(kinds.flatMap((kind) => Array.from({ length: crowd[kind] }, () => lane(kind))));
  return {
    figures,
    expect: (release) => (oldest = Number(release.split(' ')[1])),
    allow: (version) => void allowed.add(version),
    async stop() {
      stopping.abort();
      await all;
      return figures;
    },
  };
}

type Ask = { agent: Agent | false; body?: string; address?: string };

/** One request through the edge. Everything but a complete 200 is a failure. */
export function visit(
  url: string,
  path: string,
  { agent, body, address: host = '127.0.0.1' }: Ask,
): Promise<{ release: string; body: string }> {
  const { hostname, port } = new URL(url);
  const method = body === undefined ? 'GET' : 'POST';
  return new Promise((resolve, reject) => {
    const sent = request({ host, port, path, method, agent, headers: { host: hostname } });
    sent.once('error', reject).once('response', (response) => {
      let answer = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve({ release: String(response.headers['x-release']), body: answer });
        else reject(new Error(`${response.statusCode} ${answer.slice(0, 60)}`));
      });
    });
    sent.end(body);
  });
}

/** Echoes for some seconds over one WebSocket, then closes it. */
async function talk(
  { url, address }: { url: string; address: string },
  judge: (release: string) => void,
  stopping: AbortSignal,
  count: () => void,
) {
  const client = await openWebSocket(url, address);
  judge(client.release);
  for (const end = Date.now() + socketMs; Date.now() < end && !stopping.aborted; await sleep(40)) {
    await client.echo(`it is ${Date.now()}`);
    count();
  }
  await client.close();
}
