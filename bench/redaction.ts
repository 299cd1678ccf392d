import { randomBytes } from 'node:crypto';
import { redactor } from '../server/src/lib/redact.ts';
import { splitLines } from '../server/src/drivers/host/lines.ts';
import type { BenchmarkRow } from './table.ts';

const count = process.env['BENCH_QUICK'] === '1' ? 20_000 : 100_000;

/** Lines of build output per second, from pipe chunks to storage, compared with the same without secrets. */
export async function redaction(): Promise<BenchmarkRow[]> {
  const output = chunksOf(Array.from({ length: count }, (_, i) => buildLine(i)).join('\n'));
  const key = () => randomBytes(24).toString('base64url');
  const cases: [string, string[]][] = [
    ['20 secrets of 32 characters', Array.from({ length: 20 }, key)],
    ['200 secrets of 5 KB', Array.from({ length: 200 }, () => randomBytes(2500).toString('hex'))],
    ['31 secrets of 32 KB', Array.from({ length: 31 }, () => randomBytes(16_000).toString('hex'))],
    ['1 MB of secrets in lines of 64', Array.from({ length: 31 }, () => pem(500))],
  ];
  linesPerSecond(output, []);
  const plain = linesPerSecond(output, []);
  return cases.map(([what, values]) => {
    const { rate, buildMs } = linesPerSecond(output, values);
    return {
      what: `lines/s with ${what}`,
      measured: `${thousands(rate)} (built once in ${buildMs.toFixed(0)} ms)`,
      against: `${thousands(plain.rate)} without secrets`,
      ratio: (rate / plain.rate).toFixed(2),
      aim: 'over 50,000',
    };
  });
}

function linesPerSecond(output: Buffer[], values: string[]): { rate: number; buildMs: number } {
  const built = performance.now();
  const hide = redactor(values);
  const began = performance.now();
  let bytes = 0;
  const lines = splitLines((line) => (bytes += JSON.stringify({ line: hide(line), step: 'build' }).length));
  for (const chunk of output) lines.push(chunk);
  lines.end();
  if (!bytes) throw new Error('nothing was written');
  return { rate: (count / (performance.now() - began)) * 1000, buildMs: began - built };
}

const buildLine = (i: number) =>
  `transforming (${i}) node_modules/some-package/dist/esm/module-${i}.js -> assets/chunk-${(i * 7919).toString(36)}.js 12.${i % 100} kB`;
const pem = (lines: number) => Array.from({ length: lines }, () => randomBytes(32).toString('hex')).join('\n');
const thousands = (rate: number) => `${Math.round(rate / 1000)},000`;

function chunksOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
    bytes.subarray(i * 65_536, (i + 1) * 65_536),
  );
}
