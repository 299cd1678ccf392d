import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { exited } from '../server/test/rig/children.ts';
import { newDataDir, removeDataDir, startService, token } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const rounds = process.env['BENCH_QUICK'] === '1' ? 5 : 21;
const launcher = join(import.meta.dirname, '../cli/bin/mooring.mjs');
const request = (url: string) =>
  `require('node:http').get('${url}/api/me', { headers: { authorization: 'Bearer ${token}' } }, (r) => r.pipe(process.stdout))`;

/** A command that sends one request, against a script of one line that sends the same request, in turn. */
export async function cli(): Promise<BenchmarkRow[]> {
  const dataDir = newDataDir();
  const service = await startService(dataDir);
  const env = { PATH: process.env['PATH'] ?? '', HOME: dataDir, MOORING_URL: service.url, MOORING_TOKEN: token };
  const time = async (args: string[]) => {
    const began = performance.now();
    if ((await exited(spawn(process.execPath, args, { env, stdio: 'ignore' }))) !== 0) throw new Error('it failed');
    return performance.now() - began;
  };
  try {
    const [ours, bare]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round++) {
      ours.push(await time([launcher, 'whoami']));
      bare.push(await time(['-e', request(service.url)]));
    }
    const [command, script] = [median(ours), median(bare)];
    return [
      {
        what: '`mooring whoami`, median',
        measured: `${Math.round(command)} ms`,
        against: `one request by a Node script ${Math.round(script)} ms`,
        ratio: `${(command / script).toFixed(2)} x`,
      },
    ];
  } finally {
    await service.stop();
    removeDataDir(dataDir);
  }
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;
