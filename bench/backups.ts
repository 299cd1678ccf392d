import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newIdentityFile, parseIdentity, recipientText } from '../server/src/lib/archive/age-keys.ts';
import { endRun, newFolder, rigFolder } from '../server/test/rig/children.ts';
import { beginDeployment, headers, post, untilServed } from './deploying.ts';
import { memoryMegabytes, type Running, startService } from './processes.ts';
import { smallApp } from './sources.ts';
import type { BenchmarkRow } from './table.ts';

const quick = process.env['BENCH_QUICK'] === '1';
const run = promisify(execFile);
const tools = 'tar -C "$1" -cf - . | zstd -q -3 -c | age -r "$2" -o "$3"';
const rounds = 3;
const megabytes = quick ? 200 : 1000;

/** Archives of volumes, compared with the programs that restore them. */
export async function backups(): Promise<BenchmarkRow[]> {
  try {
    const folder = newFolder('volume');
    largeFiles(folder, megabytes);
    return [
      ...(await compare(`${megabytes} MB in 40 files`, folder, true)),
      ...(await wholeRuns()),
      ...(await compare(`${quick ? 10_000 : 100_000} files of 400 bytes`, smallFiles(quick ? 10_000 : 100_000), false)),
    ];
  } finally {
    endRun(rigFolder());
  }
}

/** Half of it compresses well, half not at all, like databases and pictures. */
function largeFiles(folder: string, megabytes: number): void {
  const line = `${randomBytes(40).toString('hex')} some text that repeats\n`;
  for (let i = 0; i < 40; i++) {
    const bytes = (megabytes * 1_000_000) / 40;
    writeFileSync(join(folder, `file-${i}`), i % 2 ? randomBytes(bytes) : line.repeat(bytes / line.length));
  }
}

function smallFiles(count: number): string {
  const folder = newFolder('volume');
  for (let i = 0; i < count; i++) {
    const inner = join(folder, `folder-${Math.floor(i / 500)}`);
    if (i % 500 === 0) mkdirSync(inner);
    writeFileSync(join(inner, `file-${i}`), `${i} `.repeat(60).slice(0, 400));
  }
  return folder;
}

async function compare(what: string, folder: string, withMemory: boolean): Promise<BenchmarkRow[]> {
  const key = anyKey();
  const out = newFolder('archives');
  const program = join(import.meta.dirname, 'pack-program.ts');
  const times = { ours: [] as number[], theirs: [] as number[] };
  let memory = 0;
  for (let round = 0; round < rounds; round++) {
    times.theirs.push(await timed(() => run('sh', ['-c', tools, 'sh', folder, key, join(out, `theirs-${round}`)])));
    const { stdout } = await run(process.execPath, [program, folder, join(out, `ours-${round}`), key]);
    const [seconds, bytes] = stdout.split(' ').map(Number) as [number, number];
    times.ours.push(seconds);
    memory = Math.max(memory, bytes);
  }
  const { stdout: idle } = await run(process.execPath, [program]);
  const [ours, theirs] = [Math.min(...times.ours), Math.min(...times.theirs)];
  const ratio = statSync(join(out, 'ours-0')).size / statSync(join(out, 'theirs-0')).size;
  return [
    {
      what,
      measured: `${ours.toFixed(1)} s`,
      against: `tar | zstd -3 | age: ${theirs.toFixed(1)} s`,
      ratio: (ours / theirs).toFixed(2),
      aim: '1.25',
    },
    { what: `${what}: size`, measured: '', against: 'tar | zstd -3 | age', ratio: ratio.toFixed(2), aim: '1.05' },
    ...(withMemory
      ? [
          {
            what: `${what}: memory above that of the program`,
            measured: `${((memory - Number(idle.split(' ')[1])) / 1e6).toFixed(0)} MB`,
            aim: '60 MB',
          },
        ]
      : []),
  ];
}

/** Whole runs of the service, from the request until the archive is stored and read back; the second one of a volume that
 * did not change. */
async function wholeRuns(): Promise<BenchmarkRow[]> {
  const dataDir = newFolder('data');
  const endpoint = newFolder('destination');
  const local = { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: endpoint };
  const service = await startService(dataDir, local);
  try {
    const { project_id: projectId } = await post<{ project_id: string }>(service, '/api/projects/ensure', {
      name: 'v',
    });
    await post(service, `/api/projects/${projectId}/volumes`, { name: 'uploads', path: 'uploads' });
    const { deployment } = await beginDeployment(service, 'v', smallApp('ok'));
    await untilServed(service, deployment, 'ok');
    const volume = join(dataDir, 'volumes', projectId, 'production', 'uploads');
    largeFiles(volume, megabytes);
    const destination = await made(service, '/api/backup-destinations', {
      name: 'd',
      kind: 'local',
      endpoint,
    });
    const policy = await made(service, '/api/backup-policies', {
      name: 'p',
      projectId,
      schedule: '30 3 * * *',
      retention: { last: 1 },
      destinationIds: [destination],
    });
    const theirs = await timed(() => run('sh', ['-c', tools, 'sh', volume, anyKey(), join(endpoint, 'theirs')]));
    const before = memoryMegabytes(service);
    // Resets the peak.
    writeFileSync(`/proc/${service.child.pid}/clear_refs`, '5');
    const [first, second] = [await backedUp(service, policy), await backedUp(service, policy)];
    const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.child.pid}/status`, 'utf8'))![1]) / 1024;
    const row = (what: string, seconds: number): BenchmarkRow => ({
      what,
      measured: `${seconds.toFixed(1)} s`,
      against: `tar | zstd -3 | age: ${theirs.toFixed(1)} s`,
      ratio: (seconds / theirs).toFixed(2),
    });
    return [
      row(`${megabytes} MB by a policy, stored and read back`, first),
      row('again, unchanged', second),
      { what: 'memory of the service meanwhile', measured: `+${(peak - before).toFixed(0)} MB`, aim: '60 MB' },
    ];
  } finally {
    await service.stop();
  }
}

const made = async (service: Running, path: string, body: object): Promise<string> =>
  (await post<{ data: { id: string } }>(service, path, body)).data.id;

async function backedUp(service: Running, policy: string): Promise<number> {
  return timed(async () => {
    const id = await made(service, `/api/backup-policies/${policy}/run`, {});
    await (await fetch(`${service.url}/api/backups/${id}/stream`, { headers })).text();
    const answer = await fetch(`${service.url}/api/backups/${id}`, { headers });
    const { data } = (await answer.json()) as { data: { status: string; error: unknown } };
    if (data.status !== 'completed') throw new Error(`the backup is ${data.status}: ${JSON.stringify(data.error)}`);
  });
}

const anyKey = () => recipientText(parseIdentity(newIdentityFile(), 'the key').recipient);

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
