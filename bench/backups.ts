import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newIdentityFile, parseIdentity, recipientText } from '../server/src/lib/archive/age-keys.ts';
import { endRun, newFolder, rigFolder } from '../server/test/rig/children.ts';
import type { Row } from './table.ts';

const quick = process.env['BENCH_QUICK'] === '1';
const run = promisify(execFile);
const tools = 'tar -C "$1" -cf - . | zstd -q -3 -c | age -r "$2" -o "$3"';
const rounds = 3;

/** Archives of volumes, compared with the programs that restore them. */
export async function backups(): Promise<Row[]> {
  try {
    return [
      ...(await compare(`${quick ? 200 : 1000} MB in 40 files`, largeFiles(quick ? 200 : 1000), true)),
      ...(await compare(`${quick ? 10_000 : 100_000} files of 400 bytes`, smallFiles(quick ? 10_000 : 100_000), false)),
    ];
  } finally {
    endRun(rigFolder());
  }
}

/** Half of it compresses well, half not at all, like databases and pictures. */
function largeFiles(megabytes: number): string {
  const folder = newFolder('volume');
  const line = `${randomBytes(40).toString('hex')} some text that repeats\n`;
  for (let i = 0; i < 40; i++) {
    const bytes = (megabytes * 1_000_000) / 40;
    writeFileSync(join(folder, `file-${i}`), i % 2 ? randomBytes(bytes) : line.repeat(bytes / line.length));
  }
  return folder;
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

async function compare(what: string, folder: string, withMemory: boolean): Promise<Row[]> {
  const { recipient } = parseIdentity(newIdentityFile(), 'the key');
  const key = recipientText(recipient);
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}
