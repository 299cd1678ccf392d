import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import type { Instance, Runtime } from '../../../drivers/runtime/runtime.ts';
import { createLog } from '../../../lib/log.ts';
import { RoundInstances } from './round-instances.ts';
import { UnreachableUpkeep } from './unreachable.ts';

let rig: Restored | undefined;
const server = createServer();
afterEach(async () => {
  server.close();
  await rig?.app.close();
});

/** A release whose container says that it began at `startedAt`; nothing listens on its port at first. */
async function running() {
  const web = [{ name: 'web', image: 'some' }];
  rig = await exchanged({ entries: web, version: 'v1' }, { entries: web, version: 'v2' }, {});
  const { app, runtime, before, after, context } = rig;
  const { db } = app.database;
  await db.deleteFrom('deployments').where('id', '=', after).execute();
  await runtime.restart(before, 'web');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  server.close();
  const seen = { startedAt: Date.now() - 60_000 };
  const restarted: string[] = [];
  const asSeen = (each: Instance): Instance => ({ ...each, ...seen, host: '127.0.0.1', port, image: 'some' });
  const watched: Runtime = {
    ...runtime,
    list: async (kind) => (await runtime.list(kind)).map(asSeen),
    async restart(id, service) {
      restarted.push(`${id}/${service}`);
      seen.startedAt = Date.now();
      return runtime.restart(id, service);
    },
  };
  const upkeep = new UnreachableUpkeep();
  const look = () =>
    upkeep.look({
      db,
      sealer: app.instance.sealer,
      log: createLog('silent', 'json'),
      owner: 'test',
      parts: { ...context.parts, server: null, runtime: watched },
      around: new RoundInstances(watched),
    });
  return { seen, restarted, key: `${before}/web`, look, listen: () => server.listen(port, '127.0.0.1') };
}

it('restarts a container once that refuses connections since the engine restarted it', async () => {
  const { seen, restarted, key, look } = await running();
  await look();
  expect(restarted, 'it may never have listened').toEqual([]);
  seen.startedAt = Date.now() - 5000;
  await look();
  expect(restarted, 'it is still starting').toEqual([]);
  seen.startedAt = Date.now() - 30_000;
  await look();
  expect(restarted).toEqual([key]);
  seen.startedAt = Date.now() - 30_000;
  await look();
  expect(restarted, 'a second time would not help').toEqual([key]);
});

it('leaves a container alone that responds after a restart', async () => {
  const { seen, restarted, look, listen } = await running();
  await look();
  listen();
  seen.startedAt = Date.now() - 30_000;
  await look();
  server.close();
  await look();
  expect(restarted).toEqual([]);
});
