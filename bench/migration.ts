import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ScanRig, startScanRig } from '../server/src/areas/migration/migration-rig.ts';
import { newSshKey } from '../server/src/lib/ssh-key.ts';
import { endRun, newFolder, rigFolder } from '../server/test/rig/children.ts';
import type { BenchmarkRow } from './table.ts';

const run = promisify(execFile);
const sizes = process.env['BENCH_QUICK'] === '1' ? [3, 50] : [3, 50, 200];
const rounds = 5;

/** A scan of a server, compared with the commands that a person would type. */
export async function migration(): Promise<BenchmarkRow[]> {
  const harbour = await startScanRig();
  try {
    const bySsh = plainSsh(harbour);
    const rows: BenchmarkRow[] = [];
    let there = 0;
    for (const size of sizes) {
      for (; there < size; there++) await harbour.create(`container-${there}`);
      rows.push(...(await measure(harbour, bySsh, size)));
    }
    return rows;
  } finally {
    await harbour.close();
    endRun(rigFolder());
  }
}

async function measure(harbour: ScanRig, bySsh: () => Promise<number>, size: number): Promise<BenchmarkRow[]> {
  // Changing the server forces a new login.
  const first = await best(async () => timed(harbour, await harbour.addServer(), size));
  const again = await best(() => timed(harbour, harbour.serverId, size));
  const theirs = await best(bySsh);
  const against = (what: string, ours: number): BenchmarkRow => ({
    what,
    measured: `${ours.toFixed(0)} ms`,
    against: `ssh docker ps -aq | xargs docker inspect ${theirs.toFixed(0)} ms`,
    ratio: `${(ours / theirs).toFixed(2)} x`,
    aim: 'at most 1 x, 200 under 1 s',
  });
  return [
    against(`scan of ${size} containers, sign-in included`, first),
    against(`scan of ${size} containers, connected`, again),
  ];
}

async function timed(harbour: ScanRig, serverId: string, size: number): Promise<number> {
  const began = performance.now();
  const { services } = await harbour.stack(serverId);
  if (services.length !== size) throw new Error(`${services.length} of ${size} were found`);
  return performance.now() - began;
}

function plainSsh({ sshd }: ScanRig): () => Promise<number> {
  const { privateKey, publicKey } = newSshKey('bench');
  sshd.allow(publicKey);
  const file = join(newFolder('bench-key'), 'id');
  writeFileSync(file, privateKey);
  chmodSync(file, 0o600);
  const options = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-o', 'LogLevel=ERROR'];
  const args = ['-i', file, '-p', String(sshd.port), ...options, 'root@127.0.0.1'];
  return async () => {
    const began = performance.now();
    await run('ssh', [...args, 'docker ps -aq | xargs docker inspect'], { maxBuffer: 64 * 1024 * 1024 });
    return performance.now() - began;
  };
}

/** Other load only ever makes a result worse, so the best round is the most accurate. */
async function best(measureOnce: () => Promise<number>): Promise<number> {
  let least = Infinity;
  for (let round = 0; round < rounds; round++) least = Math.min(least, await measureOnce());
  return least;
}
