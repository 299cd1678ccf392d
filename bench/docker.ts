import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { detect } from '../server/src/detect/index.ts';
import { folderTree } from '../server/src/detect/folder-tree.ts';
import { generateDockerfile } from '../server/src/dockerfile/index.ts';
import { endRun, exited, rigFolder } from '../server/test/rig/children.ts';
import { type Docker, startDocker } from '../server/test/rig/docker.ts';
import { makeImage } from '../server/test/rig/docker-images.ts';
import { nodeBase, onEngine } from '../server/test/rig/docker-service.ts';
import { bestOf, deployUntilServing, ms, rollBack } from './deploying.ts';
import { memoryAfterFirst, memoryText } from './memory.ts';
import { newDataDir, removeDataDir, type Running, startService } from './processes.ts';
import { smallApp } from './sources.ts';
import type { BenchmarkRow } from './table.ts';

/** The same app on the same engine, to the first response: by Mooring, and by `docker build` and `docker run`. */
export async function docker(): Promise<BenchmarkRow[]> {
  const engine = await startDocker();
  const dataDir = newDataDir();
  let service: Running | undefined;
  try {
    await makeImage(engine.client, nodeBase());
    service = await startService(dataDir, onEngine(engine));
    return await measure(service, engine, dataDir);
  } finally {
    await service?.stop();
    await engine.close();
    removeDataDir(dataDir);
    endRun(rigFolder());
  }
}

async function measure(service: Running, engine: Docker, dataDir: string): Promise<BenchmarkRow[]> {
  const memoryOfFirst = await memoryAfterFirst(service, dataDir);
  // Different apps, so that neither profits from the other's build cache.
  const firstByHand = await buildAndRun(engine, 'hand', 'version 0');
  const first = await deployUntilServing(service, 'shop', smallApp('version 1'), 'version 1');
  const againByHand = await bestOf(3, (i) => buildAndRun(engine, 'hand', `version by hand ${i}`));
  const again = await bestOf(3, (i) =>
    deployUntilServing(service, 'shop', smallApp(`version again ${i}`), `version again ${i}`),
  );
  const back = await rollBack(service, 'shop');
  const tenByHand = await together((i) => buildAndRun(engine, `ten-${i}`, `version ten ${i}`));
  const ten = await together((i) => deployUntilServing(service, `ten-${i}`, smallApp(`ten ${i}`), `ten ${i}`));
  const against = (what: string, measured: number, byHand: number, aim = 'at most 1.15 x + 1 s'): BenchmarkRow => ({
    what,
    measured: ms(measured),
    against: `docker build && docker run ${ms(byHand)}`,
    ratio: `${(measured / byHand).toFixed(2)} x`,
    aim,
  });
  return [
    { what: 'memory, service and edge, new data folder', measured: memoryText(memoryOfFirst) },
    against('small Node app, first deploy to serving', first, firstByHand),
    against('the same with a changed source', again, againByHand),
    { what: 'rollback to serving', measured: ms(back), aim: 'under 2000 ms' },
    against('ten deployments at once', ten, tenByHand, ''),
  ];
}

async function together(run: (i: number) => Promise<number>): Promise<number> {
  const began = performance.now();
  await Promise.all(Array.from({ length: 10 }, (_, i) => run(i)));
  return performance.now() - began;
}

let lastPort = 33_000;

async function buildAndRun(engine: Docker, name: string, text: string): Promise<number> {
  const folder = smallApp(text);
  const options = { folder: '', installCommand: null, buildCommand: null, startCommand: null, outputDirectory: null };
  const more = { cacheScope: name, variables: [], secrets: [] };
  const found = generateDockerfile(await detect(folderTree(folder)), { ...options, ...more })!;
  writeFileSync(join(folder, 'Dockerfile'), found.dockerfile);
  const began = performance.now();
  await run(engine, ['build', '--quiet', '--tag', name, folder]);
  const port = ++lastPort;
  await run(engine, ['run', '--detach', '--publish', `${engine.namespace.address}:${port}:3000`, name]);
  const url = `http://${engine.namespace.address}:${port}/`;
  for (let answer = ''; !answer.includes(text); await sleep(20))
    answer = await fetch(url).then(
      (response) => response.text(),
      () => '',
    );
  return performance.now() - began;
}

async function run({ address }: Docker, args: string[]): Promise<void> {
  // The client of the same package as the engine: newer ones build with a plugin.
  const env = { PATH: '/usr/bin:/bin', DOCKER_HOST: address, DOCKER_BUILDKIT: '1', HOME: rigFolder() };
  const child = spawn('docker', args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await exited(child)) !== 0) throw new Error(`docker ${args.join(' ')} failed`);
}
