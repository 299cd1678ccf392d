import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, askAllTheTime, begin, ensureProject, json, upload } from '../rig/deploy.ts';
import { node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { shop, type Shop } from '../rig/stack.ts';
import { untilTidy } from '../rig/stack-leftovers.ts';
import { healthy, heldShop, publicDb } from '../rig/stack-phases.ts';
import { type StackStage, startStackStage, statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

describe.runIf(has('docker'))('a service limited to one replica', () => {
  let rig: StackStage;
  let project: string;
  let url: string;
  let dbUrl: string;
  beforeAll(async () => {
    rig = await startStackStage();
    project = await ensureProject(rig.service(), 'shop');
    const first = await rig.deployed(project, open());
    expect(first.error, JSON.stringify(first)).toBeNull();
    url = first.urls.find((each) => !each.includes('//db.'))!;
    dbUrl = url.replace('//', '//db.');
  }, 180_000);
  afterAll(() => rig?.close(), 120_000);

  const open = (versions: Shop = {}) => shop({ ...versions, lines: { db: publicDb(healthy) } });
  const tidy = async () => {
    await atRest(rig.service().dataDir);
    await untilTidy(rig.docker, rig.service().dataDir);
  };
  /** The planned change of the database. */
  const plannedFor = async (versions: Shop) => {
    type Plan = { name: string; change: string; strategy: string | null };
    const body = { projectId: project, uploadSessionId: await upload(rig.service(), open(versions)) };
    const { data } = await json<{ data: { services: Plan[] } }>(rig.service().post('/api/deployments/plan', body));
    const { change, strategy } = data.services.find(({ name }) => name === 'db')!;
    return { change, strategy };
  };
  const allWell = (answers: Map<string, number>) => {
    sayFigures('answers', Object.fromEntries(answers));
    expect([...answers.keys()].filter((each) => !each.startsWith('200 '))).toEqual([]);
  };

  it('is replaced while requests wait, and keeps its data', async () => {
    const asking = askAllTheTime(dbUrl, 3);
    const over = await rig.deployed(project, open({ db: 'v2' }));
    expect(over.services.find(({ name }) => name === 'db')).toMatchObject({
      status: 'ready',
      strategy: 'stop_first',
      reason: expect.stringContaining('the volume data'),
    });
    expect((await ask(dbUrl)).body).toBe('db v2 2');
    allWell(await asking.stop());
    await tidy();
  }, 180_000);

  it('is restored when its new version fails, and again when the rest is rejected', async () => {
    const before = await rig.running(project);
    const asking = askAllTheTime(dbUrl, 3);
    const broken = { db: 'v3', dbProgram: 'console.error("cannot read its files"); process.exit(5);' };
    const half = await rig.deployed(project, open({ web: 'v3', ...broken }));
    expect(half, JSON.stringify(half)).toMatchObject({ status: 'partial_failure', decision: 'pending' });
    expect(statuses(half)).toMatchObject({ web: 'ready', db: 'failed', api: 'unchanged' });
    expect((await ask(dbUrl)).body).toBe('db v2 3');
    expect((await ask(url)).body).toContain('web v3 / 200 api v1 / 200 db v2');
    await rig.done(half.id, 'reject');
    expect((await ask(dbUrl)).body).toBe('db v2 3');
    await tidy();
    expect(await rig.running(project)).toEqual(before);
    const none = await rig.deployed(project, open(broken));
    expect([none.status, none.error?.message], 'the others work').toEqual([
      'partial_failure',
      expect.stringContaining('cannot read its files'),
    ]);
    expect((await ask(dbUrl)).body).toBe('db v2 4');
    await rig.done(none.id, 'reject');
    expect((await ask(dbUrl)).body).toBe('db v2 4');
    allWell(await asking.stop());
    await tidy();
    expect(await rig.running(project), 'everything is as before').toEqual(before);
  }, 180_000);

  it('is restored when a deployment that has replaced it is rejected', async () => {
    const before = await rig.running(project);
    const asking = askAllTheTime(dbUrl, 3);
    const half = await rig.deployed(project, open({ db: 'v4', apiProgram: 'process.exit(1)' }));
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ db: 'ready', api: 'failed' });
    expect((await ask(dbUrl)).body).toBe('db v4 5');
    const rejected = await rig.done(half.id, 'reject');
    expect([rejected.status, statuses(rejected)['db']]).toEqual(['rejected', 'rolled_back']);
    expect((await ask(dbUrl)).body).toBe('db v2 6');
    allWell(await asking.stop());
    await tidy();
    expect(await rig.running(project)).toEqual(before);
  }, 180_000);

  it('stays in its new version when the old one does not come back, and is not stopped', async () => {
    // The new version leaves data behind that the old one cannot handle.
    const poison = `require('node:fs').writeFileSync('/data/poison', '');`;
    const refuse = `if (require('node:fs').existsSync('/data/poison')) process.exit(6);`;
    await rig.deployed(project, open({ db: 'v5', dbProgram: refuse }));
    const half = await rig.deployed(project, open({ db: 'v6', dbProgram: poison, apiProgram: 'process.exit(1)' }));
    expect(statuses(half), JSON.stringify(half)).toMatchObject({ db: 'ready', api: 'failed' });
    const rejected = await rig.done(half.id, 'reject');
    expect(rejected.status).toBe('rejected');
    expect(rejected.services.find(({ name }) => name === 'db')!.error).toContain('code 6');
    expect((await ask(dbUrl)).body).toContain('db v6');
    await sleep(12_000);
    expect((await ask(dbUrl)).body).toContain('db v6');
    await tidy();
    // The running version is the base of the next plan, and is restored when its container is gone.
    expect(await plannedFor({ db: 'v5', dbProgram: refuse })).toEqual({ change: 'replace', strategy: 'stop_first' });
    expect(await plannedFor({ db: 'v6', dbProgram: poison })).toEqual({ change: 'unchanged', strategy: null });
    const { db } = await rig.running(project);
    await rig.docker.client.json({ method: 'DELETE', path: `/containers/${db!}`, query: { force: true } });
    await until('it is back', async () => (await rig.running(project))['db'] !== undefined, 40_000);
    await until('it answers', async () => (await ask(dbUrl)).body.startsWith('db v6'), 40_000);
    const next = await rig.deployed(project, open({ db: 'v2' }));
    expect([next.status, (await ask(dbUrl)).body.slice(0, 5)]).toEqual(['ready', 'db v2']);
  }, 180_000);

  it('is restored within seconds after a cancel during its replacement', async () => {
    const before = await rig.running(project);
    const asking = askAllTheTime(dbUrl, 3);
    const gate = rig.gates.newGate();
    const id = await begin(rig.service(), project, heldShop('stop_first', gate, { db: 'v7' }));
    await until('it is held', () => gate.isReached!(), 60_000);
    const began = performance.now();
    await rig.done(id, 'cancel');
    expect((await rig.settled(id)).status).toBe('cancelled');
    sayFigures('cancel of a stop-first', { ms: Math.round(performance.now() - began) });
    expect((await ask(dbUrl)).body).toContain('db v2');
    allWell(await asking.stop());
    await tidy();
    expect(await rig.running(project)).toEqual(before);
  }, 180_000);

  it('with a host port fails by its number if it is taken, and is replaced if it is free', async () => {
    const other = await ensureProject(rig.service(), 'ports');
    const { address } = rig.docker.namespace;
    const site = (version: string, port: number) =>
      shop({
        lines: {
          worker: [
            `image: ${node.name}`,
            `command: ["node", "-e", "require('http').createServer((q, s) => s.end('${version}')).listen(80); process.on('SIGTERM', () => process.exit())"]`,
            `ports: ["${port}:80"]`,
          ],
        },
      });
    const first = await rig.deployed(other, site('one', 7711));
    expect(first.error, JSON.stringify(first)).toBeNull();
    expect(await (await fetch(`http://${address}:7711/`)).text()).toBe('one');
    const second = await rig.deployed(other, site('two', 7711));
    expect(second.services.find(({ name }) => name === 'worker')).toMatchObject({
      status: 'ready',
      strategy: 'stop_first',
    });
    expect(await (await fetch(`http://${address}:7711/`)).text()).toBe('two');
    const third = await ensureProject(rig.service(), 'late');
    const half = await rig.deployed(third, site('three', 7711));
    expect(half.status, JSON.stringify(half)).toBe('partial_failure');
    expect(half.services.find(({ name }) => name === 'worker')!.error).toContain('7711');
    expect(await (await fetch(`http://${address}:7711/`)).text()).toBe('two');
    await rig.done(half.id, 'reject');
    await until('its containers are gone', async () => (await rig.containers(third)).length === 0, 30_000);
  }, 240_000);
});
