import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudActions } from '../rig/cloud-actions.ts';
import { type CloudThings, makeCloudThings } from '../rig/cloud-things.ts';
import { comesOut, listsAgree, type Trouble } from '../rig/cloud-troubles.ts';
import { json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { startTwoInstances, type TwoInstances } from '../rig/two-instances.ts';

const deadlineMs = 60_000;
const frozen: Trouble = { mishap: 'frozen', done: 1, answers: [503] };
/** One for each project: they run at the same time. */
const together = ['promote', 'deploy', 'roll back', 'respond', 'keep', 'clear the cloud', 'delete the project'];

/** Two real instances on loopback. Requests reach the cloud, and then the connection stalls. */
describe.runIf(has('docker'))('a stalled connection to the cloud', () => {
  let two: TwoInstances;
  let things: CloudThings;

  beforeAll(async () => {
    two = await startTwoInstances();
    await two.link();
    things = await makeCloudThings(two);
  }, 120_000);
  afterAll(async () => {
    for (const each of things?.visitors ?? []) await each.stop();
    await two?.close();
  }, 60_000);

  it('blocks no request beyond the deadline, and then agrees with the cloud', async () => {
    const prepared = [];
    for (const name of together) prepared.push({ name, ...(await cloudActions[name]!(things)) });
    two.line.strike = { request: /^(POST|PUT|DELETE) /, mishap: 'frozen', times: Infinity };
    const asked = prepared.map(({ asked: each }) => two.atHome(each));
    await sleep(5000);
    // Retries succeed.
    two.line.strike = undefined;
    const hit = two.line.struck;
    const began = Date.now();
    for (let calls = 0; calls < 20; calls++) await json(two.home.now.get('/api/deployments'));
    const listsMs = Date.now() - began;
    expect(listsMs, 'nobody else waits').toBeLessThan(5000);
    const answers = await Promise.all(asked);
    for (const [i, { name, tries }] of prepared.entries()) {
      const { status, code, ms } = answers[i]!;
      if (tries) expect([200, 202], name).toContain(status);
      else expect([status, code], `${name}: ${JSON.stringify(answers[i])}`).toEqual([503, 'cloud_unreachable']);
      expect(ms, name).toBeGreaterThan(deadlineMs - 1000);
      expect(ms, name).toBeLessThan(deadlineMs + 5000);
    }
    for (const [i, each] of prepared.entries()) await comesOut(two, each, frozen, answers[i]!);
    sayFigures('frozen', { hit, listsMs, slowestMs: Math.max(...answers.map(({ ms }) => ms)) });
  }, 200_000);

  it('is reported for a link within ten seconds', async () => {
    for (const path of ['health', 'me']) {
      two.line.strike = { request: new RegExp(`^GET /api/${path}$`), mishap: 'frozen', times: Infinity };
      const answer = await two.link();
      expect([answer.status, answer.code]).toEqual([503, 'cloud_unreachable']);
      expect(answer.ms).toBeLessThan(12_000);
      const shown = await json<{ data: object }>(two.home.now.get('/api/cloud/link'));
      expect(shown.data).toMatchObject({ linked: true, reachable: false });
      two.line.strike = undefined;
      expect((await two.link()).status).toBe(200);
    }
  }, 60_000);

  it('fails no client request', async () => {
    const listsMs = await listsAgree(things);
    const failures = things.visitors.flatMap((each) => each.failures);
    const visits = things.visitors.reduce((sum, each) => sum + each.requests, 0);
    sayFigures('visitors', { visits, failed: failures.length, listsMs });
    expect(failures).toEqual([]);
  }, 90_000);
});
