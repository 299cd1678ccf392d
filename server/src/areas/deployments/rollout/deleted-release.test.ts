import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { insertTask, removalKind } from '../model/background-store.ts';
import { untilDeletedStops } from './deleted-release.ts';

const db = { name: 'db', image: 'some', volumes: ['data:/data'] };
let rig: Restored;
afterEach(() => rig.app.close());

const isWaiting = async (): Promise<boolean> => {
  const waited = untilDeletedStops(rig.context).then(() => false);
  return Promise.race([waited, sleep(400, true)]);
};

it('waits only for the containers of a deleted release', async () => {
  rig = await exchanged({ entries: [db], version: '1' }, { entries: [db], version: '2' }, { strategy: 'stop_first' });
  const { runtime, before, context } = rig;
  await runtime.restart(before, 'db');
  expect(await isWaiting(), 'nothing was deleted').toBe(false);
  const deleted = (wasActive: boolean) =>
    insertTask(context.db, {
      id: before,
      kind: removalKind,
      owner: 'one',
      details: JSON.stringify({ organizationId: '', actor: { userId: '', email: '', ip: '' }, wasActive }),
      createdAt: Date.now(),
    });
  await deleted(false);
  expect(await isWaiting(), 'it did not serve').toBe(false);
  await deleted(true);
  expect(await isWaiting()).toBe(true);
  const said: string[] = [];
  const waiting = untilDeletedStops({ ...context, log: (line) => said.push(line) });
  await sleep(100);
  await runtime.stop(before, 0, 'db');
  await waiting;
  expect(said).toEqual(['Waiting until the deleted release has stopped']);
});
