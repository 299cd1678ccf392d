import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, ensureProject } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { volumesOf } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { healthy, heldShop, publicDb } from '../rig/stack-phases.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const crash = 'console.error("no luck"); process.exit(3);';
const noWorker = { lines: { worker: [`image: ${node.name}`, 'command: ["node", "-e", "process.exit(3)"]'] } };

const dies = 'process.exit(7)';

describe.runIf(has('docker'))('several services, first deployment and removal', () => {
  let rig: StackStage;
  beforeAll(async () => {
    rig = await startStackStage();
  }, 120_000);
  afterAll(() => rig?.close(), 120_000);
  const tidy = async () => {
    await atRest(rig.service().dataDir);
    await untilTidy(rig.docker, rig.service().dataDir);
  };
  const volumesIn = async (project: string) =>
    (await volumesOf(rig.docker)).filter(({ Labels }) => Labels?.['mooring.project'] === project).length;

  it('leave nothing but their volumes when the first deployment partially fails and is rejected', async () => {
    const project = await ensureProject(rig.service(), 'first');
    const half = await rig.deployed(project, shop(noWorker));
    expect(half, JSON.stringify(half)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    expect(statuses(half)).toEqual({ web: 'ready', api: 'ready', worker: 'failed', db: 'ready' });
    expect((await ask(half.urls[0]!)).body).toContain('web v1 / 200 api v1');
    await rig.done(half.id, 'reject');
    expect(await rig.shown(half.id)).toMatchObject({ status: 'rejected', active: false, urls: [] });
    expect((await ask(half.urls[0]!)).status).toBe(404);
    await tidy();
    expect([await rig.containers(project), await volumesIn(project)]).toEqual([[], 1]);
    const again = await rig.deployed(project, shop());
    expect([again.status, (await ask(again.urls[0]!)).body]).toEqual(['ready', 'web v1 / 200 api v1 / 200 db v1 2']);
  }, 180_000);

  it('serve as far as they work when it is kept, and a later deployment completes them', async () => {
    const project = await ensureProject(rig.service(), 'kept');
    const half = await rig.deployed(project, shop(noWorker));
    expect(half.status, JSON.stringify(half)).toBe('partial_failure');
    const kept = await rig.done(half.id, 'keep');
    expect([kept.status, kept.active, kept.error]).toEqual(['ready', true, null]);
    await tidy();
    const before = await rig.running(project);
    const whole = await rig.deployed(project, shop());
    expect(statuses(whole), JSON.stringify(whole)).toEqual({
      web: 'unchanged',
      api: 'unchanged',
      worker: 'ready',
      db: 'unchanged',
    });
    expect((await ask(whole.urls[0]!)).body).toBe('web v1 / 200 api v1 / 200 db v1 1');
    const now = await rig.running(project);
    expect(now).toEqual({ ...before, worker: now['worker'] });
  }, 180_000);

  it('fail as a whole if all fail, wait for a decision if one does, and are restored', async () => {
    const project = await ensureProject(rig.service(), 'all');
    const first = await rig.deployed(project, shop());
    const before = await rig.running(project);
    const asking = askAllTheTime(first.urls[0]!, 2);
    const failed = await rig.deployed(
      project,
      shop({ apiProgram: crash, files: { 'web/server.js': dies, 'worker/server.js': dies, 'db/db.js': dies } }),
    );
    expect([failed.status, failed.decision, failed.active], JSON.stringify(failed)).toEqual(['failed', null, false]);
    expect(failed.error!.message).toMatch(/4 services failed.*exit code 7/s);
    expect((await rig.act(failed.id, 'keep')).status).toBe(400);
    await tidy();
    expect(await rig.running(project)).toEqual(before);
    const none = await rig.deployed(
      project,
      shop({ api: 'v2', files: { 'api/Dockerfile': 'FROM nowhere.invalid/none:1\n' } }),
    );
    expect([none.status, none.decision], JSON.stringify(none)).toEqual(['partial_failure', 'pending']);
    expect((await rig.act(none.id, 'reject')).status).toBe(200);
    expect((await ask(first.urls[0]!)).body).toContain('web v1 / 200 api v1');
    await tidy();
    expect(await rig.running(project)).toEqual(before);
    const answers = await asking.stop();
    expect([...answers.keys()]).toEqual(['200 web v1 / 200 api v1 ']);
  }, 180_000);

  it.each(['build', 'start_first', 'both'] as const)(
    'are restored within seconds when a deployment is cancelled in %s',
    async (phase) => {
      const project = await ensureProject(rig.service(), `cancel-${phase.replace('_', '-')}`);
      const first = await rig.deployed(project, shop({ lines: { db: publicDb(healthy) } }));
      expect(first.error, JSON.stringify(first)).toBeNull();
      const url = first.urls.find((each) => !each.includes('//db.'))!;
      const before = await rig.running(project);
      const asking = [askAllTheTime(url, 2), askAllTheTime(url.replace('//', '//db.'), 1)];
      const gate = rig.gates.newGate();
      const versions = phase === 'both' ? { web: 'v2', api: 'v2', worker: 'v2', db: 'v2' } : { web: 'v2', api: 'v2' };
      const id = await begin(rig.service(), project, heldShop(phase, gate, versions));
      await until('it is held', () => gate.isReached!(), 60_000);
      const began = performance.now();
      await rig.done(id, 'cancel');
      const over = await rig.settled(id);
      sayFigures(`cancel in ${phase}`, { ms: Math.round(performance.now() - began) });
      expect([over.status, over.active]).toEqual(['cancelled', false]);
      expect((await rig.act(id, 'cancel')).status).toBe(400);
      expect((await ask(url)).body).toContain('web v1 / 200 api v1 / 200 db v1');
      await tidy();
      expect(await rig.running(project)).toEqual(before);
      const [web, db] = await Promise.all(asking.map((each) => each.stop()));
      expect(
        [...web!.keys()].filter((each) => !/^200 web v\d . 200 api v/.test(each)),
        JSON.stringify([...web!]),
      ).toEqual([]);
      expect(
        [...db!.keys()].filter((each) => !each.startsWith('200 db')),
        JSON.stringify([...db!]),
      ).toEqual([]);
    },
    180_000,
  );
});
