import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from './load.ts';
import { beginDeployment, bestOf, deployUntilServing, headers, ms, rollBack, untilServed } from './deploying.ts';
import { memoryAfterFirst, memoryOf, memoryText } from './memory.ts';
import { newDataDir, removeDataDir, type Running, startService } from './processes.ts';
import { noisyApp, siteFolder, smallApp } from './sources.ts';
import type { BenchmarkRow } from './table.ts';
import { manyViewers } from './viewers.ts';

/** From a folder to a response at its address, each compared with doing the same by hand. */
export async function deployments(): Promise<BenchmarkRow[]> {
  const dataDir = newDataDir();
  const service = await startService(dataDir, { MOORING_RUNTIME: 'process' });
  try {
    const memoryOfFirst = await memoryAfterFirst(service, dataDir);
    const site = await bestOf(3, (i) => deployUntilServing(service, `site-${i}`, siteFolder(`site ${i}`), `site ${i}`));
    const byHand = await bestOf(2, () => runByHand());
    const app = await bestOf(2, (i) => deployUntilServing(service, 'shop', smallApp(`version ${i}`), `version ${i}`));
    const rollback = await rollBack(service, 'shop');
    const edge = await edgeAgainstApp(service);
    const lines = await linesPerSecond(service);
    const viewers = await manyViewers(service, 1000);
    const memory = memoryOf(service, dataDir);
    return [
      { what: 'memory, service and edge, new data folder', measured: memoryText(memoryOfFirst) },
      { what: 'static site, upload to serving', measured: ms(site), aim: 'under 500 ms' },
      {
        what: 'small Node app, upload to serving',
        measured: ms(app),
        against: `by hand ${ms(byHand)}`,
        ratio: `${(app / byHand).toFixed(2)} x`,
        aim: 'at most 1.15 x + 1 s',
      },
      { what: 'rollback to serving', measured: ms(rollback), aim: 'under 2000 ms' },
      ...edge,
      { what: 'log lines per second to a stream client', measured: String(Math.round(lines)) },
      ...viewers,
      { what: 'memory, service and edge, after all this', measured: memoryText(memory) },
    ];
  } finally {
    await service.stop();
    removeDataDir(dataDir);
  }
}

/** Runs the same commands as the engine, without it. */
async function runByHand(): Promise<number> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'mooring-hand-'));
  cpSync(smallApp('by hand'), folder, { recursive: true });
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' });
  const port = '46999';
  const child = spawn('npm', ['run', 'start'], {
    cwd: folder,
    env: { ...process.env, PORT: port },
    stdio: 'ignore',
    detached: true,
  });
  while (true) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const elapsed = performance.now() - began;
  process.kill(-child.pid!, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
  return elapsed;
}

async function edgeAgainstApp(service: Running): Promise<BenchmarkRow[]> {
  const { deployment } = await beginDeployment(service, 'shop', smallApp('loaded'));
  const url = await untilServed(service, deployment, 'loaded');
  type Info = { data: { containers: { port: number }[] } };
  const info = (await (await fetch(`${service.url}/api/deployments/${deployment}/info`, { headers })).json()) as Info;
  const direct: Running = { ...service, url: `http://127.0.0.1:${info.data.containers[0]!.port}` };
  const through: Running = { ...service, url: `http://127.0.0.1:${new URL(url).port}` };
  const { hostname } = new URL(url);
  await load(direct, '/', 1);
  const app = await load(direct, '/', 3);
  const edge = await load(through, '/', 3, hostname);
  return [
    {
      what: 'requests per second through the edge',
      measured: String(Math.round(edge.perSecond)),
      against: `the app itself ${Math.round(app.perSecond)}`,
      ratio: `${(edge.perSecond / app.perSecond).toFixed(2)} x`,
    },
  ];
}

/** A build that prints endlessly, measured at a viewer. */
async function linesPerSecond(service: Running): Promise<number> {
  const count = 20_000;
  const { deployment } = await beginDeployment(service, 'noisy', noisyApp(count));
  const began = performance.now();
  const text = await (await fetch(`${service.url}/api/deployments/${deployment}/stream`, { headers })).text();
  const seen = text.split('\n').filter((line) => line.includes('"line":"line number')).length;
  if (seen !== count) throw new Error(`${seen} of ${count} lines came`);
  return count / ((performance.now() - began) / 1000);
}
