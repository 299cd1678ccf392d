import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { folderTree } from '../server/src/detect/folder-tree.ts';
import { detect } from '../server/src/detect/index.ts';
import type { BenchmarkRow } from './table.ts';

const rounds = process.env['BENCH_QUICK'] === '1' ? 3 : 20;

/** The detection time of each example as a folder on disk, and of a monorepo with many packages. */
export async function detection(): Promise<BenchmarkRow[]> {
  const examples = resolve(import.meta.dirname, '../examples');
  const names = readdirSync(examples, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const folders = names.map(({ name }) => join(examples, name));
  const first = await measure(folders);
  const all: Measured[] = [];
  for (let round = 0; round < rounds; round++) all.push(...(await measure(folders)));
  const monorepo = makeMonorepo(60);
  try {
    const large = await measure(Array<string>(rounds).fill(monorepo));
    return [
      row(`${folders.length} examples, each for the first time`, first, 'under 30 ms'),
      row(`${folders.length} examples, ${rounds} rounds`, all, 'under 30 ms'),
      row('a monorepo, with its 60 apps', large, ''),
    ];
  } finally {
    rmSync(monorepo, { recursive: true });
  }
}

type Measured = { folder: string; ms: number };

async function measure(folders: string[]): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const folder of folders) {
    const began = performance.now();
    await detect(folderTree(folder));
    measured.push({ folder, ms: performance.now() - began });
  }
  return measured;
}

function row(what: string, measured: Measured[], aim: string): BenchmarkRow {
  const sorted = measured.toSorted((a, b) => a.ms - b.ms);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
  const [middle, high, most] = [at(0.5), at(0.95), at(1)].map(({ ms }) => ms.toFixed(1));
  const slowest = at(1).folder.split('/').at(-1);
  return { what, measured: `p50 ${middle} ms, p95 ${high} ms, at most ${most} ms (${slowest})`, aim };
}

function makeMonorepo(apps: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'bench-monorepo-'));
  const write = (path: string, content: object) => writeFileSync(join(folder, path), JSON.stringify(content));
  write('package.json', { name: 'root', private: true, workspaces: ['apps/*'] });
  write('package-lock.json', { lockfileVersion: 3 });
  for (let i = 0; i < apps; i++) {
    mkdirSync(join(folder, `apps/app-${i}/src`), { recursive: true });
    const dependencies = i % 2 ? { next: '15.0.0', react: '19.0.0' } : { express: '5.0.0' };
    write(`apps/app-${i}/package.json`, { name: `app-${i}`, scripts: { start: 'node src/index.js' }, dependencies });
    writeFileSync(join(folder, `apps/app-${i}/src/index.js`), '');
  }
  return folder;
}
