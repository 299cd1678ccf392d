import { load } from './load.ts';
import { memoryOf } from './memory.ts';
import { newDataDir, removeDataDir, type Running, startBare, startService, token } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const quick = process.env['BENCH_QUICK'] === '1';
const idleSeconds = quick ? 5 : 60;
const rounds = quick ? 1 : 3;
const starts = quick ? 1 : 5;
const path = '/api/tokens';

/** Startup, idle, and an authenticated list compared with a bare server that returns the same bytes. */
export async function foundation(): Promise<BenchmarkRow[]> {
  const dataDir = newDataDir();
  try {
    const first = await startService(dataDir);
    // By then, it has kept its compiled code for the next start.
    await new Promise((resolve) => setTimeout(resolve, 12_000));
    await first.stop();
    const times: number[] = [];
    for (let i = 1; i < starts; i++) {
      const again = await startService(dataDir);
      times.push(again.readyMs);
      await again.stop();
    }
    const last = await startService(dataDir);
    times.push(last.readyMs);
    await new Promise((resolve) => setTimeout(resolve, idleSeconds * 1000));
    const [service, , together] = memoryOf(last, dataDir);
    const rows = await listAgainstBare(last);
    await last.stop();
    return [
      { what: 'start to healthy, new data folder', measured: `${Math.round(first.readyMs)} ms` },
      { what: `start to healthy, existing data, median of ${starts}`, measured: median(times), aim: 'under 300 ms' },
      { what: `memory after ${idleSeconds} s idle`, measured: `${service} MB`, aim: 'under 85 MB' },
      { what: 'with the edge, shared pages counted once', measured: `${together} MB`, aim: 'under 130 MB' },
      ...rows,
    ];
  } finally {
    removeDataDir(dataDir);
  }
}

const median = (times: number[]): string =>
  `${Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!)} ms`;

async function listAgainstBare(service: Running): Promise<BenchmarkRow[]> {
  for (let i = 0; i < 10; i++) await makeToken(service, `token ${i}`);
  const body = await (await fetch(service.url + path, { headers: { authorization: `Bearer ${token}` } })).text();
  const bare = await startBare(body);
  for (const server of [service, bare]) await load(server, path, 2);
  const results = { ours: [] as Awaited<ReturnType<typeof load>>[], bare: [] as Awaited<ReturnType<typeof load>>[] };
  for (let round = 0; round < rounds; round++) {
    results.ours.push(await load(service, path, quick ? 2 : 5));
    results.bare.push(await load(bare, path, quick ? 2 : 5));
  }
  await bare.stop();
  const [rate, bareRate] = [best(results.ours, 'perSecond'), best(results.bare, 'perSecond')];
  const [cpu, bareCpu] = [best(results.ours, 'cpuMicroseconds'), best(results.bare, 'cpuMicroseconds')];
  return [
    row('requests per second, list of 11 tokens', rate, bareRate, ''),
    row(`CPU microseconds per request (${body.length} bytes)`, cpu, bareCpu, 'at most 2 x'),
  ];
}

const row = (what: string, ours: number, bare: number, aim: string): BenchmarkRow => ({
  what,
  measured: String(Math.round(ours)),
  against: `bare node:http ${Math.round(bare)}`,
  ratio: `${(ours / bare).toFixed(2)} x`,
  aim,
});

/** Other load only ever makes a result worse, so the best round is the most accurate. */
function best(results: Awaited<ReturnType<typeof load>>[], key: 'perSecond' | 'cpuMicroseconds'): number {
  const values = results.map((each) => each[key]);
  return key === 'perSecond' ? Math.max(...values) : Math.min(...values);
}

async function makeToken(service: Running, name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name, permissions: ['deployment:read', 'deployment:list'] });
  const response = await fetch(service.url + path, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`making a token answered ${response.status}`);
}
