import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  memoryMegabytes,
  newDataDir,
  removeDataDir,
  type Running,
  startRepositoryHost,
  startService,
  token,
} from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const rounds = process.env['BENCH_QUICK'] === '1' ? 1 : 3;
const pages = 20;
/** Cached lists are fresh for this long; after that they are revalidated with the host. */
const keptMs = 10_500;
const headers = { authorization: `Bearer ${token}` };

/** A list of 2,000 repositories through the service, compared with fetching the same pages directly. */
export async function githost(): Promise<BenchmarkRow[]> {
  const dataDir = newDataDir();
  const host = await startRepositoryHost();
  try {
    const raw = await best(() => fetchPages(host, 1));
    const atOnce = await best(() => fetchPages(host, 4));
    const times: Record<'cold' | 'again' | 'kept', number[]> = { cold: [], again: [], kept: [] };
    let memory = 0;
    for (let round = 0; round < rounds; round++) {
      const service = await connectedService(dataDir, host);
      times.cold.push(await list(service));
      times.kept.push(await list(service));
      await pause(keptMs);
      times.again.push(await list(service));
      memory = memoryMegabytes(service);
      await service.stop();
    }
    const row = (what: string, ms: number[], against: string, raws: number, aim: string): BenchmarkRow => ({
      what,
      measured: `${Math.min(...ms).toFixed(0)} ms`,
      against: `${against} ${raws.toFixed(0)} ms`,
      ratio: `${(Math.min(...ms) / raws).toFixed(2)} x`,
      aim,
    });
    return [
      row('list of 2,000 repositories, the first time', times.cold, '20 pages by fetch', raw, 'at most 1.5 x'),
      row('the same', times.cold, '20 pages by fetch, 4 at once', atOnce, ''),
      row('again after a while, nothing has changed', times.again, '20 pages by fetch', raw, 'less'),
      row('again within ten seconds', times.kept, '20 pages by fetch', raw, 'less'),
      { what: 'memory after that', measured: `${memory} MB` },
    ];
  } finally {
    await host.stop();
    removeDataDir(dataDir);
  }
}

/** Signed in through a stand-in for the host's command-line client. */
async function connectedService(dataDir: string, host: Running): Promise<Running> {
  const gh = join(dataDir, 'gh');
  writeFileSync(gh, '#!/bin/sh\n[ "$1" = --version ] && echo "gh version 2.23.0" || echo gho_bench_0123456789\n');
  chmodSync(gh, 0o755);
  const service = await startService(dataDir, { GITHOST_URL: host.url, GITHOST_CLI: gh });
  const body = JSON.stringify({ source: 'cli' });
  const json = { ...headers, 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}/api/githost/connect`, { method: 'POST', headers: json, body });
  if (!((await answer.json()) as { connected: boolean }).connected) throw new Error('the git host was not connected');
  return service;
}

async function list({ url }: Running): Promise<number> {
  const began = performance.now();
  const { data } = (await (await fetch(`${url}/api/githost/repos`, { headers })).json()) as { data: unknown[] };
  if (data.length !== 2000) throw new Error(`there are ${data.length} repositories`);
  return performance.now() - began;
}

async function fetchPages({ url }: Running, atOnce: number): Promise<number> {
  const began = performance.now();
  const numbers = Array.from({ length: pages }, (_, i) => i + 1);
  const next = async (): Promise<void> => {
    const number = numbers.shift();
    if (number === undefined) return;
    const answer = await fetch(`${url}/api/v3/user/repos?per_page=100&page=${number}`);
    if (((await answer.json()) as unknown[]).length !== 100) throw new Error('a page is not full');
    await next();
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  return performance.now() - began;
}

/** Other load only ever makes a result worse. */
async function best(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds + 1; round++) times.push(await measure());
  return Math.min(...times);
}
