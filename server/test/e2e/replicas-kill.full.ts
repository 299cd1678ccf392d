import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject } from '../rig/deploy.ts';
import { type Docker, startDocker } from '../rig/docker.ts';
import { makeImage } from '../rig/docker-images.ts';
import { nodeBase, onEngine } from '../rig/docker-service.ts';
import { containersOf } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { replicaApp } from '../rig/replicas.ts';
import { until } from '../rig/until.ts';

const replicas = 3;
/** When the service is killed, counted from the start of a deployment. */
const killsAfterMs = [200, 500, 900, 1300, 1700, 2200, 2800, 3500];

function killedWithReplicas(start: () => Promise<Killable>, left: (killable: Killable) => Promise<string[]>): void {
  let killable: Killable;
  let project: string;
  let url: string;
  beforeAll(async () => {
    killable = await start();
    project = await ensureProject(killable.now, 'replicas', { replicas });
    const first = await deploy(killable.now, project, replicaApp('v0'));
    expect(first.error).toBeNull();
    url = first.urls[0]!;
  }, 120_000);
  afterAll(() => killable?.now.stop());

  const whoAt = async () =>
    new Set(await Promise.all(Array.from({ length: 24 }, async () => (await ask(url, '/who')).body)));

  it.each(killsAfterMs.map((ms, index) => ({ ms, version: `v${index + 1}`, before: `v${index}` })))(
    'a kill after $ms ms of a deployment loses no request and no replica',
    async ({ ms, version, before }) => {
      const asking = askAllTheTime(url, 4);
      const id = await begin(killable.now, project, replicaApp(version));
      await sleep(ms);
      await killable.kill();
      await killable.start();
      const done = await ended(killable.now, id, 60_000);
      expect([done.status, done.error]).toEqual(['ready', null]);
      await until('all answer', async () => (await whoAt()).size === replicas);
      const answers = await asking.stop();
      sayFigures(`killed after ${ms} ms`, Object.fromEntries(answers));
      expect([...answers.keys()].filter((answer) => ![`200 ${before}`, `200 ${version}`].includes(answer))).toEqual([]);
      await atRest(killable.now.dataDir);
      expect(await left(killable)).toEqual([]);
    },
    120_000,
  );
}

describe('replicas of processes', () =>
  killedWithReplicas(
    () => startKillable(),
    (killable) => Promise.resolve(leftovers(killable.now.dataDir, replicas)),
  ));

describe.runIf(has('docker'))('replicas in containers', () => {
  let docker: Docker;
  afterAll(() => docker?.close());
  killedWithReplicas(
    async () => {
      docker = await startDocker();
      await makeImage(docker.client, nodeBase());
      return startKillable(onEngine(docker));
    },
    async () => {
      const running = (await containersOf(docker)).filter(({ State }) => State === 'running');
      return running.length === replicas ? [] : running.flatMap(({ Names }) => Names);
    },
  );
});
