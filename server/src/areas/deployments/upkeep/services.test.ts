import { afterEach, expect, it } from 'vitest';
import { ImageMissingError, PortTakenError } from '../../../drivers/runtime/errors.ts';
import type { Runtime } from '../../../drivers/runtime/runtime.ts';
import { createLog } from '../../../lib/log.ts';
import { RoundInstances } from './round-instances.ts';
import { exchanged, type Restored } from '../../../../test/rig/restore.ts';
import { reviveServices } from './services.ts';

let rig: Restored | undefined;
afterEach(() => rig?.app.close());

const web = [{ name: 'web', image: 'some' }];

/** The previous release serves and its service was stopped; calls to the runtime are recorded. */
async function stopped(refusal?: Error, startRefusal?: Error) {
  rig = await exchanged({ entries: web, version: 'v1' }, { entries: web, version: 'v2' }, {});
  const { app, runtime, before, after, context } = rig;
  await app.database.db.deleteFrom('deployments').where('id', '=', after).execute();
  const restarted: string[] = [];
  const watched: Runtime = {
    ...runtime,
    async restart(id, service) {
      restarted.push(`${id}/${service}`);
      if (refusal) throw refusal;
      return runtime.restart(id, service);
    },
    async start(spec) {
      if (startRefusal) throw startRefusal;
      return runtime.start(spec);
    },
  };
  const rebuilt: string[] = [];
  const around = new RoundInstances(watched);
  const revive = (isUnderWay: (key: string) => boolean = () => false) =>
    reviveServices({
      db: app.database.db,
      sealer: app.instance.sealer,
      log: createLog('silent', 'json'),
      owner: 'test',
      parts: { ...context.parts, server: null, runtime: watched },
      around,
      restarts: { isUnderWay },
      rebuild: async ({ id }) => rebuilt.push(id) === 1,
    });
  const state = async () => (await runtime.find(before, 'web'))?.state;
  const back = () => runtime.restart(before, 'web');
  const remove = () => runtime.remove(before, 'web');
  return { around, revive, restarted, rebuilt, before, state, key: `${before}/web`, back, remove };
}

it('restarts a stopped container', async () => {
  const { revive, restarted, key } = await stopped();
  await revive();
  expect(restarted).toEqual([key]);
});

it('recreates a container whose port is taken', async () => {
  const { revive, state } = await stopped(new PortTakenError(3000, new Error('port is already allocated')));
  await revive();
  expect(await state()).toBe('running');
});

it('keeps the container of a service that fails to start for another reason', async () => {
  const { revive, restarted, state, key } = await stopped(new Error('no space left on device'));
  await revive();
  expect([restarted, await state()]).toEqual([[key], 'exited']);
});

it('has a release built again whose image is gone', async () => {
  const { revive, rebuilt, before, remove } = await stopped(undefined, new ImageMissingError('some', 'sha256:v1'));
  await remove();
  await revive();
  expect(rebuilt).toEqual([before]);
});

it('does not restart a service that came back since the scan', async () => {
  const { around, back, revive, restarted } = await stopped();
  const seen = { all: structuredClone((await around.look()).all) };
  await back();
  around.look = async () => seen;
  await revive();
  expect(restarted).toEqual([]);
});

it('leaves alone a service that is being restarted', async () => {
  const { revive, restarted, key } = await stopped();
  await revive((each) => each === key);
  expect(restarted).toEqual([]);
});
