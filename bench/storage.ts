import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { startSftpMachine } from '../server/src/drivers/storage/sftp/sftp-rig.ts';
import { endRun, newFolder, rigFolder } from '../server/test/rig/children.ts';
import { putInChild } from '../server/test/rig/put-large.ts';
import type { PutTask } from '../server/test/rig/put-program.ts';
import { startSwift, swiftKeys } from '../server/test/rig/swift.ts';
import { makeBucket } from '../server/test/rig/swift-bucket.ts';
import type { BenchmarkRow } from './table.ts';

const megabytes = process.env['BENCH_QUICK'] === '1' ? 200 : 1000;
const run = promisify(execFile);
/** The competitor's put and get; both write a get to the file `back`. */
type Rival = {
  put: string;
  get: string;
  back: string;
  putIt: () => Promise<unknown>;
  getIt: () => Promise<unknown>;
};

/** A gigabyte to each kind of target and back, compared with common tools. We verify a put by reading it back, so a
 * put of theirs is a put, a get and a comparison. */
export async function storage(): Promise<BenchmarkRow[]> {
  try {
    const file = makeFile();
    const program = await bundled();
    const rows = await toLocal(file, program);
    rows.push(...(await toSftp(file, program)));
    if (existsSync('/usr/bin/swift-proxy-server')) rows.push(...(await toS3(file, program)));
    return rows;
  } finally {
    endRun(rigFolder());
  }
}

async function toLocal(file: string, program: string): Promise<BenchmarkRow[]> {
  const localRoot = newFolder('backups');
  const copy = join(newFolder('copy'), 'copy');
  const back = join(newFolder('copy'), 'back');
  // The chunk size of `cp` and `cat`. A stream's chunks are its own, but still count towards our memory.
  const source = { file, chunkBytes: 128 * 1024 };
  const task = { kind: 'local', localRoot, values: { endpoint: localRoot }, source };
  const sumOf = async (path: string) => (await run('openssl', ['dgst', '-sha256', '-r', path])).stdout.slice(0, 64);
  // We verify against a checksum, because a stream cannot be read twice, and so does the competitor. Our get goes
  // through a stream; `cp` copies in the kernel, so the competitor uses two programs.
  return compare('local', task, program, {
    put: 'cp, sync, sha256 of both',
    get: 'cat, pipe, cat',
    back,
    async putIt() {
      await run('cp', [file, copy]);
      await run('sync', [copy]);
      if ((await sumOf(file)) !== (await sumOf(copy))) throw new Error('cp does not copy');
    },
    getIt: () => run('sh', ['-c', 'cat -- "$1" | cat > "$2"', 'sh', copy, back]),
  });
}

async function toSftp(file: string, program: string): Promise<BenchmarkRow[]> {
  const { sshd, values } = await startSftpMachine();
  const folder = newFolder('sftp-client');
  const [key, back] = [join(folder, 'id'), join(folder, 'back')];
  writeFileSync(key, String(values['sftpPrivateKey']), { mode: 0o600 });
  const options = ['-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null', '-i', key];
  const batch = join(folder, 'batch');
  const sftp = (line: string) => {
    writeFileSync(batch, `${line}\n`);
    return run('sftp', [...options, '-q', '-P', String(sshd.port), '-b', batch, `${sshd.user}@127.0.0.1`]);
  };
  try {
    return await compare('sftp', { kind: 'sftp', values, source: { file } }, program, {
      put: 'sftp put, get, cmp',
      get: 'sftp get',
      back,
      async putIt() {
        await sftp(`put -f ${file} theirs`);
        await sftp(`get theirs ${back}`);
        await run('cmp', [file, back]);
      },
      getIt: () => sftp(`get theirs ${back}`),
    });
  } finally {
    await sshd.stop();
  }
}

async function toS3(file: string, program: string): Promise<BenchmarkRow[]> {
  const swift = await startSwift();
  const bucket = await makeBucket(swift, 'bench');
  const back = join(newFolder('s3-client'), 'back');
  const { accessKeyId, secretAccessKey } = swiftKeys.owner;
  const settings = { TYPE: 's3', PROVIDER: 'Other', ENDPOINT: swift.endpoint, REGION: swift.region };
  const keys = { ACCESS_KEY_ID: accessKeyId, SECRET_ACCESS_KEY: secretAccessKey };
  const env: Record<string, string> = { PATH: process.env['PATH'] ?? '', HOME: rigFolder() };
  for (const [name, value] of Object.entries({ ...settings, ...keys })) env[`RCLONE_CONFIG_RIG_${name}`] = value;
  const rclone = (from: string, to: string) => run('rclone', ['copyto', '--ignore-times', from, to], { env });
  try {
    return await compare('s3_compatible', { kind: 's3_compatible', values: bucket.values, source: { file } }, program, {
      put: 'rclone there, back, cmp',
      get: 'rclone back',
      back,
      async putIt() {
        await rclone(file, 'rig:bench/theirs');
        await rclone('rig:bench/theirs', back);
        await run('cmp', [file, back]);
      },
      getIt: () => rclone('rig:bench/theirs', back),
    });
  } finally {
    bucket.close();
    await swift.stop();
  }
}

/** Runs both twice, alternating; the better result counts. */
async function compare(kind: string, task: PutTask, program: string, rival: Rival): Promise<BenchmarkRow[]> {
  const [put, get, theirPut, theirGet, peak]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  for (let i = 0; i < 2; i++) {
    // A new key for each, as for backups.
    const stored = await putInChild({ ...task, key: `put-${i}` }, program);
    theirPut.push(await timed(rival.putIt));
    rmSync(rival.back, { force: true });
    const read = await putInChild({ ...task, key: `get-${i}`, readTo: rival.back }, program);
    rmSync(rival.back);
    theirGet.push(await timed(rival.getIt));
    put.push(stored.putMs);
    get.push(read.getMs);
    peak.push(stored.peakMegabytes, read.peakMegabytes);
  }
  const speed = (ms: number[]) => Math.round(megabytes / (Math.min(...ms) / 1000));
  const against = (what: string, ours: number[], theirs: number[], program: string): BenchmarkRow => ({
    what,
    measured: `${speed(ours)} MB/s`,
    against: `${program} ${speed(theirs)} MB/s`,
    ratio: `${(Math.min(...theirs) / Math.min(...ours)).toFixed(2)} x`,
    aim: 'at least 0.8 x',
  });
  return [
    against(`${kind}: ${megabytes} MB stored and read back`, put, theirPut, rival.put),
    against(`${kind}: ${megabytes} MB read into a file`, get, theirGet, rival.get),
    { what: `${kind}: peak memory of both`, measured: `${Math.round(Math.max(...peak))} MB`, aim: 'under 150 MB' },
  ];
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await task();
  return performance.now() - began;
}

function makeFile(): string {
  const file = join(newFolder('source'), 'file');
  const block = randomBytes(10_000_000);
  for (let i = 0; i < megabytes / 10; i++) writeFileSync(file, block, { flag: 'a' });
  return file;
}

/** Bundled as in production: without type stripping, with its worker file. */
async function bundled(): Promise<string> {
  const outdir = newFolder('program');
  const banner = {
    js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = import.meta.dirname;`,
  };
  const server = join(import.meta.dirname, '../server');
  const entryPoints = {
    put: join(server, 'test/rig/put-program.ts'),
    'read-back-thread': join(server, 'src/drivers/storage/local/read-back-thread.ts'),
  };
  const external = ['cpu-features', '*.node'];
  writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
  await build({ entryPoints, outdir, bundle: true, platform: 'node', format: 'esm', external, banner });
  return join(outdir, 'put.js');
}
