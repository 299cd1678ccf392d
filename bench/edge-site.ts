import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBuiltinEdge } from '../server/src/drivers/edge/builtin/builtin.ts';
import { cpuSecondsOf, newDataDir } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const program = join(import.meta.dirname, '../server/dist/edge.cjs');
const requests = process.env['BENCH_QUICK'] === '1' ? 2000 : 10_000;
const lanes = 16;

/** Bytes saved and CPU spent by compressing a site's files, compared with sending them uncompressed. */
export async function compression(): Promise<BenchmarkRow[]> {
  const [dataDir, folder] = [newDataDir(), mkdtempSync(join(tmpdir(), 'bench-site-'))];
  writeFileSync(join(folder, 'app.js'), scriptOf(300_000));
  const edge = createBuiltinEdge({ dataDir, instanceId: 'bench', host: '127.0.0.1', port: 0, program });
  await edge.ensure();
  try {
    const target = { type: 'static', folder, fallback: null } as const;
    const routes = [{ host: 'site.localhost', path: '/', deploymentId: 'dep_1', target }];
    await edge.point({ key: 'site/production', fence: 1, routes });
    const port = Number(new URL(edge.url('x')).port);
    const pid = (await edge.pid())!;
    const measured = [];
    for (const encoding of ['identity', 'gzip', 'br']) measured.push(await measure(port, pid, encoding));
    const [plain, ...compressed] = measured;
    return compressed.flatMap((each) => rowsOf(each, plain!));
  } finally {
    await edge.stop();
    for (const each of [dataDir, folder]) rmSync(each, { recursive: true, force: true });
  }
}

type Measured = { encoding: string; bytes: number; firstMs: number; firstCpuMs: number; cpuPer10000: number };

async function measure(port: number, pid: number, encoding: string): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  const get = () => bytesOf(port, encoding, agent);
  const [before, began] = [cpuSecondsOf(pid), performance.now()];
  const bytes = await get();
  const firstMs = performance.now() - began;
  const afterFirst = cpuSecondsOf(pid);
  let left = requests;
  const lane = async () => {
    while (left-- > 0) await get();
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  const cpuPer10000 = ((cpuSecondsOf(pid) - afterFirst) / requests) * 10_000;
  return { encoding, bytes, firstMs, firstCpuMs: (afterFirst - before) * 1000, cpuPer10000 };
}

function bytesOf(port: number, encoding: string, agent: Agent): Promise<number> {
  const headers = { host: 'site.localhost', 'accept-encoding': encoding };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/app.js', headers, agent }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
      answer.once('end', () => resolve(bytes)).once('error', reject);
    })
      .once('error', reject)
      .end();
  });
}

function rowsOf({ encoding, bytes, firstMs, firstCpuMs, cpuPer10000 }: Measured, plain: Measured): BenchmarkRow[] {
  return [
    {
      what: `bytes of a script, ${encoding}`,
      measured: `${Math.round(bytes / 1000)} KB (first request ${firstMs.toFixed(0)} ms, CPU ${firstCpuMs.toFixed(0)} ms)`,
      against: `plain ${Math.round(plain.bytes / 1000)} KB`,
      ratio: `${(bytes / plain.bytes).toFixed(2)} x`,
    },
    {
      what: `CPU seconds for 10,000 requests of a script, ${encoding}`,
      measured: cpuPer10000.toFixed(2),
      against: `plain ${plain.cpuPer10000.toFixed(2)}`,
      ratio: `${(cpuPer10000 / plain.cpuPer10000).toFixed(2)} x`,
    },
  ];
}

/** Text that repeats about as much as a bundle. */
function scriptOf(bytes: number): string {
  let seed = 1;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const names = Array.from({ length: 800 }, () => `n${next(36 ** 4).toString(36)}`);
  let text = '';
  while (text.length < bytes)
    text += `function ${names[next(800)]}(${names[next(800)]}){return ${names[next(800)]}.${names[next(800)]}(${next(9999)})}\n`;
  return text;
}
