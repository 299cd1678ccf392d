import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { beginDeployment, headers, untilServed } from './deploying.ts';
import { load } from './load.ts';
import { memoryOf } from './memory.ts';
import { newDataDir, removeDataDir, startService } from './processes.ts';
import { smallApp } from './sources.ts';
import type { BenchmarkRow } from './table.ts';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
const lanes = 16;
/** Caches fill and code is compiled until then. */
const settledAfter = 1 / 6;

/** The whole product at half load: visitors of an app, readers of the API, and a deployment each minute. Memory has to
 * stay flat, and no request may fail. */
export async function soak(): Promise<BenchmarkRow[]> {
  const dataDir = newDataDir();
  const service = await startService(dataDir);
  try {
    const first = await beginDeployment(service, 'soak', smallApp('version 0'));
    const url = await untilServed(service, first.deployment, 'version');
    const { hostname, port } = new URL(url);
    const atMost = await load({ ...service, url: `http://127.0.0.1:${port}` }, '/', 5, hostname);
    const visitors = startVisitors(Number(port), hostname, atMost.perSecond / 2);
    const api = startVisitors(Number(new URL(service.url).port), '127.0.0.1', 5, '/api/projects');
    const samples: number[][] = [];
    for (let minute = 1; minute <= minutes; minute++) {
      const next = sleep(60_000);
      const { deployment } = await beginDeployment(service, 'soak', smallApp(`version ${minute}`));
      await untilServed(service, deployment, `version ${minute}`);
      await next;
      samples.push(memoryOf(service, dataDir));
      console.log(`minute ${minute}: service ${samples.at(-1)![0]} MB, edge ${samples.at(-1)![1]} MB`);
    }
    const [seen, read] = [await visitors.stop(), await api.stop()];
    const settled = samples.slice(Math.floor(samples.length * settledAfter));
    return [
      { what: 'requests of visitors', measured: `${seen.count} (${Math.round(atMost.perSecond / 2)} a second)` },
      { what: 'failed', measured: String(seen.failures.length), aim: '0' },
      { what: 'requests to the API', measured: String(read.count) },
      { what: 'failed there', measured: String(read.failures.length), aim: '0' },
      { what: 'slowest of visitors', measured: `${Math.round(seen.slowestMs)} ms` },
      ...['service', 'edge'].map((name, i) =>
        memoryRow(
          name,
          settled.map((sample) => sample[i]!),
        ),
      ),
      ...[...seen.failures, ...read.failures].slice(0, 5).map((text) => ({ what: 'failure', measured: text })),
    ];
  } finally {
    await service.stop();
    removeDataDir(dataDir);
  }
}

/** Compares the first and the last third: single samples depend on when garbage is collected. */
function memoryRow(name: string, samples: number[]): BenchmarkRow {
  const third = Math.ceil(samples.length / 3);
  const mean = (some: number[]) => Math.round(some.reduce((sum, each) => sum + each, 0) / some.length);
  const [before, after] = [mean(samples.slice(0, third)), mean(samples.slice(-third))];
  return {
    what: `memory of the ${name}, last third against first`,
    measured: `${after} MB`,
    against: `${before} MB`,
    ratio: `${(after / before).toFixed(2)} x`,
    aim: 'at most 1.05 x',
  };
}

function startVisitors(port: number, host: string, perSecond: number, path = '/') {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const everyMs = (lanes * 1000) / perSecond;
  const seen = { count: 0, failures: [] as string[], slowestMs: 0 };
  const stopping = new AbortController();
  const lane = async (n: number) => {
    for (let next = performance.now() + (n * everyMs) / lanes; !stopping.signal.aborted; next += everyMs) {
      const early = next - performance.now();
      if (early > 1) await sleep(early);
      const began = performance.now();
      const answer = await get().catch((error: Error) => error.message);
      seen.count++;
      seen.slowestMs = Math.max(seen.slowestMs, performance.now() - began);
      if (answer !== 200) seen.failures.push(`${new Date().toISOString()} ${answer}`);
    }
  };
  const get = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = { ...headers, host };
      request({ port, host: '127.0.0.1', path, agent, headers: sent }, (response) => {
        response
          .resume()
          .once('end', () => resolve(response.statusCode!))
          .once('error', reject);
      })
        .once('error', reject)
        .end();
    });
  const all = Promise.all(Array.from({ length: lanes }, (_, n) => lane(n)));
  return {
    async stop() {
      stopping.abort();
      await all;
      agent.destroy();
      return seen;
    },
  };
}
