import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { retire } from './retire.ts';

let rig: Restored | undefined;
afterEach(() => rig?.app.close());

const web = [{ name: 'web', image: 'some' }];

/** A release serves, a newer deployment has taken the place of its service and waits for a decision; both containers run. */
async function half() {
  rig = await exchanged({ entries: web, version: 'v1' }, { entries: web, version: 'v2' }, {});
  const { app, runtime, before, after, context } = rig;
  const { db } = app.database;
  const pending = { status: 'partial_failure', decision: 'pending' } as const;
  await db.updateTable('deployments').set(pending).where('id', '=', after).execute();
  await runtime.restart(before, 'web');
  const run = async (id: string) => {
    const deployment = await db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    await retire.run({ ...context, deployment });
    return (await runtime.find(before, 'web'))!.state;
  };
  return { before, after, run };
}

it('stops what a half deployment has replaced when that one is run', async () => {
  const { after, run } = await half();
  expect(await run(after)).toBe('exited');
});

it('leaves it to that one, because somebody may decide against it', async () => {
  const { before, run } = await half();
  expect(await run(before)).toBe('running');
});

it('stops the containers of a deployment that was rejected, and not what serves again', async () => {
  const { before, after, run } = await half();
  const { app, runtime } = rig!;
  const { db } = app.database;
  const rejected = { status: 'rejected', decision: 'rejected', services: '[]' } as const;
  await db.updateTable('deployments').set(rejected).where('id', '=', after).execute();
  expect(await run(after)).toBe('running');
  expect((await runtime.find(after, 'web'))!.state).toBe('exited');
  expect((await runtime.find(before, 'web'))!.state).toBe('running');
});
