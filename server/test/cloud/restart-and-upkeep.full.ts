import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ended } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { has } from '../rig/parts.ts';
import { type SteadyVisitor, startSteadyVisitor } from '../rig/steady-visitor.ts';
import { startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';
import { askWhole } from '../rig/whole-answer.ts';

/** A service that has just started runs upkeep on everything; a restarting container is briefly away, not gone. */
describe.runIf(has('docker'))('a restart during upkeep', () => {
  let two: TwoInstances;
  let visitor: SteadyVisitor;
  let first: string;

  beforeAll(async () => {
    two = await startTwoInstances();
    await two.link();
    const project = await two.project('app', dockerApp('v1'));
    first = (await two.promote(project, { autoStart: true })).id;
    const { urls } = await ended(two.cloud.now, first, 60_000);
    await ended(two.cloud.now, (await two.promote(project, { autoStart: true })).id, 60_000);
    visitor = startSteadyVisitor(urls[0]!);
  }, 120_000);
  afterAll(async () => {
    await visitor?.stop();
    await two?.close();
  }, 60_000);

  it('is not undone', async () => {
    const act = (id: string, action: string) =>
      askWhole(two.cloud.now.url, { method: 'POST', path: `/api/deployments/${id}/${action}`, body: {} });
    for (let i = 0; i < 16; i++) {
      const id = (await act(first, 'rollback')).body['deployment_id'] as string;
      // The next service finishes the pending work, and then runs upkeep.
      await ended(two.cloud.now, id);
      await two.cloud.kill();
      await two.cloud.start();
      await sleep(150 + 50 * (i % 8));
      const answer = await act(id, 'restart');
      expect([i, answer.status, answer.body['error']]).toEqual([i, 200, undefined]);
    }
    expect(visitor.failures).toEqual([]);
  }, 120_000);
});
