import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Action, Prepared } from './cloud-actions.ts';
import type { Mishap } from './cloud-line.ts';
import type { CloudThings } from './cloud-things.ts';
import { json } from './deploy.ts';
import type { TwoInstances } from './two-instances.ts';
import { until } from './until.ts';
import type { WholeAnswer } from './whole-answer.ts';

/** A fault during a request, and its possible outcomes. */
export interface Trouble {
  mishap: Mishap;
  /** The side to kill, that long after the request has reached the cloud. */
  kills?: { side: 'cloud' | 'home'; afterMs: number };
  /** How often it was executed; unknown if a side was killed. */
  done?: 0 | 1;
  answers: number[];
}

export const cuts: Record<string, Trouble> = {
  'before it arrives': { mishap: 'unsent', done: 0, answers: [503] },
  'before it is answered': { mishap: 'unanswered', done: 1, answers: [503] },
  'in the middle of the answer': { mishap: 'torn', done: 1, answers: [503] },
};

const shownInCloud = { deployTarget: 'cloud', cloud: 'there' };

/** Sends a request with a fault. Afterwards it has been executed exactly once, possibly by a second request. */
export async function inTrouble(things: CloudThings, action: Action, trouble: Trouble): Promise<WholeAnswer> {
  const { two } = things;
  const prepared = await action(things);
  const answer = await struck(two, prepared, trouble);
  expect(trouble.answers, JSON.stringify(answer)).toContain(answer.status);
  if (answer.status === 503) expect(answer.code).toBe('cloud_unreachable');
  await comesOut(two, prepared, trouble, answer);
  return answer;
}

/** Asserts that it was executed once, or executes it now, that everything ends, and that both sides agree. */
export async function comesOut(two: TwoInstances, prepared: Prepared, trouble: Trouble, { status }: WholeAnswer) {
  // Home has retried and reported the outcome.
  if (status >= 200 && status < 300) expect(await prepared.done(), 'done').toBe(1);
  else await once(two, prepared, trouble);
  await prepared.settle?.();
  await agreed(two, prepared);
}

async function struck({ line, ...two }: TwoInstances, prepared: Prepared, { mishap, kills }: Trouble) {
  let back: Promise<unknown> = Promise.resolve();
  const restart = async ({ side, afterMs }: NonNullable<Trouble['kills']>) => {
    await sleep(afterMs);
    await two[side].kill();
    line.cutAll();
    await two[side].start();
  };
  const strike = {
    request: prepared.request,
    mishap,
    times: kills ? 1 : (prepared.tries ?? 1),
    ...(kills && { arrived: () => (back = restart(kills)) }),
  };
  line.strike = strike;
  const answer = await two.atHome(prepared.asked);
  line.strike = undefined;
  expect(strike.times, 'it was hit').toBe(0);
  await back;
  return answer;
}

async function once(two: TwoInstances, prepared: Prepared, trouble: Trouble): Promise<void> {
  const { asked, whenDone } = prepared;
  const isUnknown = trouble.done === undefined;
  if (trouble.done === 1) await until('the cloud has done it', async () => (await prepared.done()) === 1);
  // Requests in progress continue in the cloud after home was killed.
  if (isUnknown) await sleep(500);
  const before = await prepared.done();
  if (!isUnknown) expect(before, 'done').toBe(trouble.done);
  expect([0, 1]).toContain(before);
  const allowed = [...(before && !isUnknown ? [] : [200, 202]), ...(whenDone ?? [])];
  if (!before || whenDone) {
    const again = await two.atHome(asked);
    expect(allowed, `asked again: ${JSON.stringify(again)}`).toContain(again.status);
  }
  await until('it was done once', async () => (await prepared.done()) === 1);
}

/** Asserts that home and the cloud agree. */
async function agreed(two: TwoInstances, prepared: Prepared): Promise<void> {
  const { projectId } = prepared;
  const shown = 'shown' in prepared ? prepared.shown : shownInCloud;
  const answer = await two.home.now.get(`/api/projects/${projectId}`);
  if (!shown) return expect(answer.status).toBe(404);
  expect((await json<{ data: object }>(answer)).data).toMatchObject(shown);
  if (!shown.cloud) return undefined;
  for (const { id } of (await two.there(projectId)).slice(0, 3))
    await until(`both say the same of ${id}`, async () => {
      const [near, far] = await Promise.all([two.one(two.home, id), two.one(two.cloud, id)]);
      return JSON.stringify(near) === JSON.stringify(far);
    });
  return undefined;
}

/** Lists never query the cloud and may lag by a minute; returns the time until they agree. */
export async function listsAgree({ two, projects }: CloudThings): Promise<number> {
  const began = Date.now();
  for (const id of projects)
    await until(
      `the list of ${id} says the same`,
      async () => {
        expect(await two.here(id)).toEqual(await two.there(id));
        return true;
      },
      70_000 - (Date.now() - began),
    );
  return Date.now() - began;
}
