import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, ensureProject } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { shop, type Shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { healthy, heldShop, publicDb, stackPhases } from '../rig/stack-phases.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const crash = 'console.error("no luck"); process.exit(3);';

describe.runIf(has('docker'))('kill -9 of the service, with several services', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let asking: ReturnType<typeof askAllTheTime>[] = [];
  let count = 0;
  /** The versions that serve now. */
  let now: Required<Pick<Shop, 'web' | 'api' | 'db'>> = { web: 'v0', api: 'v0', db: 'v0' };
  const dbUrl = () => url.replace('//', '//db.');
  const open = (versions: Shop) => shop({ ...versions, lines: { db: publicDb(healthy) } });
  const bodyOf = async () => (await ask(url)).body;
  const serves = () => `web ${now.web} / 200 api ${now.api} / 200 db ${now.db}`;
  const wellAndTidy = async () => {
    await atRest(rig.service().dataDir);
    expect(await bodyOf()).toContain(serves());
    await untilTidy(rig.docker, rig.service().dataDir);
  };
  const killed = async () => {
    await rig.killable.kill();
    await rig.killable.start();
  };

  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'shop', { rollbackWindow: 2 });
    const first = await rig.deployed(project, open(now));
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls.find((each) => !each.includes('//db.'))!;
    asking = [askAllTheTime(url, 2), askAllTheTime(dbUrl(), 2)];
  }, 180_000);
  afterAll(async () => {
    await Promise.all(asking.map((each) => each.stop()));
    await rig?.close();
  }, 120_000);

  it.each(stackPhases)(
    'during %s',
    async (phase) => {
      const next = `v${++count}`;
      const gate = rig.gates.newGate();
      const versions =
        phase === 'stop_first'
          ? { ...now, db: next }
          : phase === 'both'
            ? { web: next, api: next, db: next }
            : { ...now, api: next };
      const id = await begin(rig.service(), project, heldShop(phase, gate, versions));
      await until('it is held', () => gate.isReached!(), 60_000);
      await sleep(400);
      await killed();
      await sleep(500);
      gate.open();
      const over = await rig.settled(id);
      expect([over.status, over.error], JSON.stringify(over.services)).toEqual(['ready', null]);
      now = { ...now, ...versions };
      await wellAndTidy();
    },
    180_000,
  );

  const half = async () => {
    const web = `v${++count}`;
    const pending = await rig.deployed(project, open({ ...now, web, apiProgram: crash }));
    expect(pending, JSON.stringify(pending)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    expect(await bodyOf()).toContain(`web ${web} / 200 api ${now.api}`);
    return { id: pending.id, web };
  };

  it('while a decision is pending, which is made afterwards', async () => {
    const { id, web } = await half();
    await killed();
    await sleep(11_000);
    expect(await rig.shown(id)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    expect(await bodyOf()).toContain(`web ${web} / 200 api ${now.api}`);
    const rejected = await rig.done(id, 'reject');
    expect([rejected.status, statuses(rejected)['web']]).toEqual(['rejected', 'rolled_back']);
    await wellAndTidy();
  }, 180_000);

  it.each([0, 40, 300, 900, 1500])(
    '%s ms into a reject',
    async (ms) => {
      const { id } = await half();
      const asked = rig.act(id, 'reject').then(
        ({ status }) => status,
        () => 0,
      );
      await sleep(ms);
      await killed();
      await asked;
      if ((await rig.settled(id)).decision === 'pending') await rig.done(id, 'reject');
      expect(await rig.shown(id)).toMatchObject({ status: 'rejected', decision: 'rejected', active: false });
      await wellAndTidy();
    },
    180_000,
  );

  it.each([0, 15, 120])(
    '%s ms into a keep',
    async (ms) => {
      const { id, web } = await half();
      const asked = rig.act(id, 'keep').then(
        ({ status }) => status,
        () => 0,
      );
      await sleep(ms);
      await killed();
      const answered = await asked;
      const after = await rig.settled(id);
      if (answered === 200) expect(after.status).toBe('ready');
      if (after.decision === 'pending') await rig.done(id, 'keep');
      expect(await rig.shown(id)).toMatchObject({ status: 'ready', decision: 'kept', active: true });
      now.web = web;
      await wellAndTidy();
    },
    180_000,
  );

  it('fails no client request', async () => {
    const [web, db] = await Promise.all(asking.map((each) => each.stop()));
    sayFigures('answers', { web: Object.fromEntries(web!), db: Object.fromEntries(db!), kills: rig.killable.kills });
    expect([...web!.keys()].filter((each) => !/^200 web v\d+ . 200 api/.test(each))).toEqual([]);
    expect([...db!.keys()].filter((each) => !/^200 db v\d+/.test(each))).toEqual([]);
  });
});
