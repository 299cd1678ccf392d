import { execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { endRun, exited, rigFolder } from '../server/test/rig/children.ts';
import { type Docker, startDocker } from '../server/test/rig/docker.ts';
import { makeImage, node } from '../server/test/rig/docker-images.ts';
import { onEngine } from '../server/test/rig/docker-service.ts';
import { shop } from '../server/test/rig/stack.ts';
import { bestOf, deployUntilServing, ms } from './deploying.ts';
import { newDataDir, removeDataDir, type Running, startService } from './processes.ts';
import type { BenchmarkRow } from './table.ts';

const cache = `  cache:
    image: ${node.name}
    command: ["node", "-e", "require('node:net').createServer().listen(6379)"]
`;

/** Five services of one compose file on the same engine: by Mooring, and by `docker compose up -d --wait`. */
export async function stack(): Promise<BenchmarkRow[]> {
  const compose = execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/compose.mjs')], {
    encoding: 'utf8',
  }).trim();
  const engine = await startDocker();
  const dataDir = newDataDir();
  let service: Running | undefined;
  try {
    await makeImage(engine.client, node);
    service = await startService(dataDir, onEngine(engine));
    return await measure(service, (folder, expected) => up(engine, compose, folder, expected));
  } finally {
    await service?.stop();
    await engine.close();
    removeDataDir(dataDir);
    endRun(rigFolder());
  }
}

type Up = (folder: string, expected: string) => Promise<number>;

/** Versions differ, so that neither profits from the other's cache. */
async function measure(service: Running, byCompose: Up): Promise<BenchmarkRow[]> {
  const all = (version: string) => shop({ web: version, api: version, worker: version, db: version, rest: cache });
  const firstByCompose = await byCompose(all('c0'), 'web c0');
  const first = await deployUntilServing(service, 'shop', all('m0'), 'web m0');
  const changed = (letter: string, i: number) =>
    shop({ web: `${letter}0`, api: `${letter}${i}`, worker: `${letter}0`, db: `${letter}0`, rest: cache });
  const oneByCompose = await bestOf(3, (i) => byCompose(changed('c', i + 1), `api c${i + 1}`));
  const one = await bestOf(3, (i) => deployUntilServing(service, 'shop', changed('m', i + 1), `api m${i + 1}`));
  const noneByCompose = await bestOf(3, () => byCompose(changed('c', 3), 'api c3'));
  const none = await bestOf(3, () => deployUntilServing(service, 'shop', changed('m', 3), 'api m3'));
  const against = (what: string, measured: number, compose: number, aim: string): BenchmarkRow => ({
    what,
    measured: ms(measured),
    against: `docker compose up -d --build --wait ${ms(compose)}`,
    ratio: `${(measured / compose).toFixed(2)} x`,
    aim,
  });
  return [
    against('five services, first deploy to serving', first, firstByCompose, 'at most 1.2 x'),
    against('one of five changed', one, oneByCompose, 'at most 1.2 x'),
    against('nothing changed', none, noneByCompose, ''),
  ];
}

/** Measures up to the first response of the new version, requested by a container in the stack's network. */
async function up(engine: Docker, program: string, folder: string, expected: string): Promise<number> {
  const env = { PATH: process.env['PATH'] ?? '', DOCKER_HOST: engine.address, HOME: rigFolder() };
  const compose = async (args: string[]) => {
    const child = spawn(program, ['--project-name', 'bench', '--project-directory', folder, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    if ((await exited(child)) !== 0) throw new Error(`docker compose ${args.join(' ')} failed`);
    return said;
  };
  const began = performance.now();
  await compose(['up', '-d', '--build', '--wait']);
  const [, port] = /:(\d+)\s*$/.exec(await compose(['port', 'web', '3000'])) ?? [];
  for (let answer = ''; !answer.includes(expected); await sleep(20))
    answer = await fetch(`http://${engine.namespace.address}:${port}/`).then(
      (response) => response.text(),
      () => '',
    );
  return performance.now() - began;
}
