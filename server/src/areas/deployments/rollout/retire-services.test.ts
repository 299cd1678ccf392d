import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { retire } from './retire.ts';

let rig: Restored | undefined;
afterEach(() => rig?.app.close());

const web = [{ name: 'web', image: 'some' }];

/** A newer deployment has replaced the service and waits for a decision; both containers run. */
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

it('stops the containers that a partial failure has replaced when it runs itself', async () => {
  const { after, run } = await half();
  expect(await run(after)).toBe('exited');
});

it('leaves them to the partial failure, because it may be rejected', async () => {
  const { before, run } = await half();
  expect(await run(before)).toBe('running');
});

it('stops the containers of a rejected deployment, and not those that serve again', async () => {
  const { before, after, run } = await half();
  const { app, runtime } = rig!;
  const { db } = app.database;
  const rejected = { status: 'rejected', decision: 'rejected', services: '[]' } as const;
  await db.updateTable('deployments').set(rejected).where('id', '=', after).execute();
  expect(await run(after)).toBe('running');
  expect((await runtime.find(after, 'web'))!.state).toBe('exited');
  expect((await runtime.find(before, 'web'))!.state).toBe('running');
});
