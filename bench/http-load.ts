import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The results of a load test. */
export type LoadResult = { requests: number; perSecond: number; p50: number; p99: number };

const run = async (program: string, args: string[]): Promise<string> =>
  (await promisify(execFile)(program, args)).stdout;

const numberIn = (text: string, pattern: RegExp): number => {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`no ${pattern} in: ${text}`);
  return Number(found);
};

/** 32 keep-alive connections over HTTP/1.1. */
export async function measureKeepAlive(url: string, seconds: number): Promise<LoadResult> {
  const said = await run('wrk', ['-t1', '-c32', `-d${seconds}s`, '--latency', url]);
  if (/Socket errors|Non-2xx/.test(said)) throw new Error(`not all of ${url} was answered: ${said}`);
  return {
    requests: numberIn(said, /(\d+) requests in/),
    perSecond: numberIn(said, /Requests\/sec:\s+([\d.]+)/),
    p50: milliseconds(said, '50%'),
    p99: milliseconds(said, '99%'),
  };
}

const units: Record<string, number> = { us: 0.001, ms: 1, s: 1000 };

function milliseconds(said: string, share: string): number {
  const [, value, unit] = new RegExp(`${share}\\s+([\\d.]+)(us|ms|s)`).exec(said)!;
  return Number(value) * units[unit!]!;
}

/** A new connection for each request. Not with wrk, which resumes some TLS sessions: every handshake has to be a
 * full one. */
export async function measureNewConnections(url: string, seconds: number): Promise<LoadResult> {
  const said = await run('ab', ['-q', '-c', '16', '-t', String(seconds), '-n', '1000000', url]);
  if (/Non-2xx/.test(said) || numberIn(said, /Failed requests:\s+(\d+)/))
    throw new Error(`not all of ${url} was answered: ${said}`);
  return {
    requests: numberIn(said, /Complete requests:\s+(\d+)/),
    perSecond: numberIn(said, /Requests per second:\s+([\d.]+)/),
    p50: numberIn(said, /50%\s+(\d+)/),
    p99: numberIn(said, /99%\s+(\d+)/),
  };
}

/** Four HTTP/2 connections with eight concurrent requests each. `at`: the address that the host name resolves to. */
export async function measureHttp2(url: string, seconds: number, at?: string): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-h2-'));
  const log = join(folder, 'log');
  try {
    const to = at ? [`--connect-to=${at}`] : [];
    const said = await run('h2load', ['-c4', '-m8', `-D${seconds}`, `--log-file=${log}`, ...to, url]);
    const [requests, failed] = [numberIn(said, /(\d+) succeeded/), numberIn(said, /(\d+) failed/)];
    if (failed || !/Application protocol: h2/.test(said)) throw new Error(`not all of ${url} was answered: ${said}`);
    const times = readFileSync(log, 'utf8').trim().split('\n');
    const sorted = times.map((line) => Number(line.split('\t')[2]) / 1000).toSorted((a, b) => a - b);
    const ofAll = (share: number) => sorted[Math.floor(sorted.length * share)]!;
    return { requests, perSecond: requests / seconds, p50: ofAll(0.5), p99: ofAll(0.99) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
