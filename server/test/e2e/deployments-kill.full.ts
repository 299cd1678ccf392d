import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, askAllTheTime, begin, deploy, ended, ensureProject, events, nodeApp } from '../rig/deploy.ts';
import { newGate } from '../rig/gate.ts';
import { stepsOf } from '../rig/inside.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

/** Moments in a deployment of about three seconds: in its build, its start, its check, around the switch. */
const moments = process.env['MOORING_TEST_FULL']
  ? Array.from({ length: 24 }, (_, i) => 60 + i * 150)
  : [500, 1400, 2200];

describe('kill -9 of the service during a deployment', () => {
  const start = (dataDir: string) => startService({ dataDir, env: { MOORING_LOG_LEVEL: 'warn' } });

  it(`ends like an uninterrupted one, at ${moments.length} moments, and the app never stops responding`, async () => {
    const dataDir = newFolder('data');
    let service: Service = await start(dataDir);
    const project = await ensureProject(service, 'unkillable');
    const { urls } = await deploy(service, project, nodeApp('v0'));
    const asking = askAllTheTime(urls[0]!, 2);
    for (const [i, moment] of moments.entries()) {
      const version = `v${i + 1}`;
      const id = await begin(
        service,
        project,
        nodeApp(version, '', { build: 'for i in 1 2 3 4 5; do echo line $i; sleep 0.1; done' }),
      );
      await sleep(moment);
      await service.stop('SIGKILL');
      service = await start(dataDir);
      const deployment = await ended(service, id);
      expect([moment, deployment.status, deployment.error]).toEqual([moment, 'ready', null]);
      expect((await ask(urls[0]!)).body).toBe(version);
      const seqs = (await events(service, id)).map((event) => event.id);
      expect(seqs).toEqual(seqs.map((_, n) => n + 1));
    }
    const answers = await asking.stop();
    expect([...answers.keys()].filter((answer) => !answer.startsWith('200 v'))).toEqual([]);
    await atRest(dataDir);
    expect(leftovers(dataDir)).toEqual([]);
    await service.stop();
  }, 300_000);

  it('resumes a step that was killed twice, and fails at the third kill; clean stops do not count', async () => {
    let service = await start(newFolder('data'));
    const project = await ensureProject(service, 'crashing');
    const gate = newGate();
    const build = { build: `echo begun; ${gate.wait}` };
    const stopWhileBuilding = async (id: string, attempt: number, signal: NodeJS.Signals) => {
      const isBegun = () =>
        stepsOf(service.dataDir, id).some((step) => step.name === 'build' && step.attempt === attempt);
      await until(`attempt ${attempt} of the build`, isBegun, 20_000);
      await service.stop(signal);
      service = await start(service.dataDir);
    };
    const killedTwice = await begin(service, project, nodeApp('v1', '', build));
    for (const [i, signal] of (['SIGKILL', 'SIGTERM', 'SIGTERM', 'SIGKILL'] as const).entries())
      await stopWhileBuilding(killedTwice, i + 1, signal);
    gate.open();
    expect(await ended(service, killedTwice)).toMatchObject({ status: 'ready', error: null });

    gate.close();
    const killed = await begin(service, project, nodeApp('v2', '', build));
    for (const attempt of [1, 2, 3]) await stopWhileBuilding(killed, attempt, 'SIGKILL');
    const { status, error } = await ended(service, killed);
    expect([status, error]).toMatchObject([
      'failed',
      { code: 'crashed', step: 'build', message: expect.stringContaining('3 times during the step build') as string },
    ]);
    gate.open();
    expect((await deploy(service, project, nodeApp('v3', '', build))).status).toBe('ready');
    await service.stop();
  }, 120_000);

  it('resumes after a graceful stop too, and the apps keep responding', async () => {
    const first = await start(newFolder('data'));
    const project = await ensureProject(first, 'stopped');
    const { urls } = await deploy(first, project, nodeApp('v0'));
    const id = await begin(first, project, nodeApp('v1', '', { build: 'sleep 2' }));
    await sleep(800);
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(first.output()).toContain('The edge and 1 app keep running');
    expect((await ask(urls[0]!)).body).toBe('v0');
    const second = await start(first.dataDir);
    expect((await ended(second, id)).status).toBe('ready');
    expect((await ask(urls[0]!)).body).toBe('v1');
    await second.stop();
  });
});
