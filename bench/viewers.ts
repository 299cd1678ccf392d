import { connect } from 'node:net';
import { beginDeployment, headers } from './deploying.ts';
import { cpuSeconds, memoryMegabytes, type Running, token } from './processes.ts';
import { noisyApp } from './sources.ts';
import type { BenchmarkRow } from './table.ts';

type Line = { at: number; delay: number };

/**
 * All follow one deployment that prints a line every 20 ms. The delay counts from when the line was recorded, and only
 * for lines that were recorded after the viewer had the start of its response: others are history.
 */
export async function manyViewers(service: Running, count: number): Promise<BenchmarkRow[]> {
  const { deployment } = await beginDeployment(service, 'watched', noisyApp(400, 20));
  const path = `/api/deployments/${deployment}/stream`;
  await firstLine(service.url + path);
  const before = memoryMegabytes(service);
  const [began, cpu] = [performance.now(), cpuSeconds(service)];
  const lines: Line[] = [];
  const viewers = Array.from({ length: count }, (_, i) => view(service.url, path, i, lines));
  const joined = Math.max(...(await Promise.all(viewers.map(({ present }) => present))));
  await Promise.all(viewers.map(({ over }) => over));
  const cores = (cpuSeconds(service) - cpu) / ((performance.now() - began) / 1000);
  const of = (isMeanwhile: boolean) => delays(lines.filter(({ at }) => at < joined === isMeanwhile));
  return [
    {
      what: `${count} viewers of one stream: delay p50 / p99`,
      measured: of(false),
      against: `memory ${before} -> ${memoryMegabytes(service)} MB, ${cores.toFixed(2)} cores`,
      aim: 'p99 under 250 ms, under 1 core',
    },
    { what: `${count} viewers: delay while they join`, measured: of(true), aim: 'p99 under 250 ms' },
  ];
}

async function firstLine(url: string): Promise<void> {
  const response = await fetch(url, { headers });
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) if (/line number/.test(chunk)) return;
}

function delays(lines: Line[]): string {
  const sorted = lines.map(({ delay }) => delay).toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return `${at(0.5)} / ${at(0.99)} ms`;
}

/** Uses a bare socket and measures one of twenty, so that a thousand viewers in one process cost little. */
function view(url: string, path: string, i: number, lines: Line[]): { present: Promise<number>; over: Promise<void> } {
  const { hostname, port } = new URL(url);
  const [here, over] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()];
  let present = Infinity;
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${token}\r\nconnection: close\r\n\r\n`,
    ),
  );
  socket.once('error', over.reject).once('close', () => over.resolve());
  socket.once('data', () => here.resolve((present = Date.now())));
  if (i % 20) socket.resume();
  else
    socket.setEncoding('latin1').on('data', (text: string) => {
      const now = Date.now();
      for (const [, time] of text.matchAll(/"at":"([^"]+)","line":"line number/g)) {
        const at = Date.parse(time!);
        if (at > present) lines.push({ at, delay: now - at });
      }
    });
  return { present: here.promise, over: over.promise };
}
