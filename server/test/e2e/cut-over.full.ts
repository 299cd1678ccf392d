import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { composeUp } from '../rig/compose-stack.ts';
import { asked, picky, type Quay, startQuay, visit, web, whoIn, worker } from '../rig/cut-over.ts';
import { sayFigures } from '../rig/figures.ts';
import { readInside } from '../rig/inside.ts';
import { has } from '../rig/parts.ts';
import { statuses } from '../rig/stack-stage.ts';
import { until } from '../rig/until.ts';

const short = (id: string) => id.slice(0, 12);

describe.runIf(has('docker') && has('sshd'))('a cut-over', () => {
  let quay: Quay;
  beforeAll(async () => {
    quay = await startQuay();
  });
  afterAll(() => quay?.close());

  const urlOf = (port: number) => `http://${quay.server.address}:${port}/`;
  const stateOf = (project: string) =>
    readInside(
      quay.killable.now.dataDir,
      (database) =>
        database.prepare('select state, originals from adoptions where project_id = ?').get(project) as {
          state: string;
          originals: string;
        },
    );
  const killWhen = async (what: string, isSo: () => boolean) => {
    await until(what, isSo, 30_000);
    await quay.killable.kill();
  };
  const untouched = async (id: string, policy = 'unless-stopped') =>
    expect(await quay.look(id)).toMatchObject({
      State: { Running: true },
      HostConfig: { RestartPolicy: { Name: policy } },
    });
  const heldBack = async (id: string) =>
    expect(await quay.look(id)).toMatchObject({
      State: { Running: false },
      HostConfig: { RestartPolicy: { Name: 'no' } },
    });

  it('without shared resources has no downtime in either direction', async () => {
    const before = await quay.run('queue', worker());
    const project = await quay.adopt('queue', ['queue']);
    let [looks, least] = [0, 2];
    const over = new AbortController();
    const watch = (async () => {
      while (!over.signal.aborted) {
        least = Math.min(least, await quay.running('queue', before));
        looks++;
      }
    })();
    for (let times = 0; times < 4; times++) {
      expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
      await heldBack(before);
      await quay.undone(project);
    }
    over.abort();
    await watch;
    await untouched(before, 'on-failure');
    expect(looks).toBeGreaterThan(20);
    expect(least).toBe(1);
  });

  it('leaves the original serving when its replacement fails', async () => {
    const before = await quay.run('picky', picky(18_101, 'picky-data'));
    const project = await quay.adopt('picky', ['picky']);
    const failed = await quay.deployed(project);
    expect(failed).toMatchObject({ status: 'failed' });
    expect(await asked(urlOf(18_101))).toBe(short(before));
    await untouched(before);
    expect(await quay.ours(project)).toEqual({});
    expect(await quay.shown(project)).toMatchObject({ state: 'adopted', canUndo: false });
    expect((await quay.undo(project)).status).toBe(400);
  });

  it('that partially fails keeps the originals of failed services; reject restores all, keep none', async () => {
    const good = await quay.run('good', web(18_102, 'good-data'));
    const bad = await quay.run('bad', picky(18_103, 'bad-data'));
    const project = await quay.adopt('half', ['good', 'bad']);
    const first = await quay.deployed(project);
    expect(first).toMatchObject({ status: 'partial_failure' });
    expect(statuses(first)).toEqual({ good: 'ready', bad: 'failed' });
    await heldBack(good);
    await untouched(bad);
    expect((await quay.undo(project)).status).toBe(400);
    await quay.killable.now.post(`/api/deployments/${first.id}/reject`, {});
    await until('it is rejected', async () => (await quay.settled(first.id)).status === 'rejected', 60_000);
    await untouched(good);
    await untouched(bad);
    expect(await quay.ours(project)).toEqual({});
    const second = await quay.deployed(project);
    await quay.killable.now.post(`/api/deployments/${second.id}/keep`, {});
    await heldBack(good);
    await untouched(bad);
    expect(await asked(urlOf(18_103))).toBe(short(bad));
    expect(await quay.undone(project)).toMatchObject({ restored: ['good'] });
    await untouched(good);
  });

  it('is undone under load with only the gap of the replacement', async () => {
    const before = await quay.run('busy', web(18_104, 'busy-data'));
    const project = await quay.adopt('busy', ['busy']);
    const there = visit(urlOf(18_104));
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    const onTheWay = await there.stop();
    const ours = (await quay.ours(project))['busy']!;
    const back = visit(urlOf(18_104));
    await quay.undone(project);
    await until('the original answers', async () => (await asked(urlOf(18_104))).startsWith(short(before)));
    const onTheWayBack = await back.stop();
    expect(whoIn(onTheWay.answers)).toEqual([short(before), short(ours)]);
    expect(whoIn(onTheWayBack.answers)).toEqual([short(ours), short(before)]);
    const figures = { there: onTheWay.gapMs, back: onTheWayBack.gapMs };
    sayFigures('cut-over of a port over SSH: longest time without an answer, in ms', figures);
    expect(Math.max(figures.there, figures.back)).toBeLessThan(10_000);
  });

  it('resumes after a kill, and can be undone', async () => {
    const before = await quay.run('killed', web(18_105, 'killed-data', { slowStopMs: 2000 }));
    const project = await quay.adopt('killed', ['killed']);
    const id = await quay.begin(project);
    await killWhen('the original is being stopped', () => stateOf(project).originals.includes('"held"'));
    await quay.killable.start();
    expect(await quay.settled(id)).toMatchObject({ status: 'ready' });
    await heldBack(before);
    const ours = (await quay.ours(project))['killed']!;
    expect(await asked(urlOf(18_105))).toMatch(short(ours));
    expect(await quay.undone(project)).toMatchObject({ restored: ['killed'], warnings: [] });
    await untouched(before);
    expect(await asked(urlOf(18_105))).toMatch(short(before));
  });

  it('without shared resources stops the original even if killed right after the start', async () => {
    const before = await quay.run('late', worker({ slowStopMs: 2000 }));
    const project = await quay.adopt('late', ['late']);
    const id = await quay.begin(project);
    await killWhen('the original is being stopped', () => stateOf(project).originals.includes('"held"'));
    await quay.killable.start();
    expect(await quay.settled(id)).toMatchObject({ status: 'ready' });
    await heldBack(before);
    expect(Object.keys(await quay.ours(project))).toEqual(['late']);
  });

  it('completes an undo after the service was killed during it', async () => {
    const before = await quay.run('again', web(18_106, 'again-data', { slowStopMs: 2000 }));
    const project = await quay.adopt('again', ['again']);
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    const cutOff = quay.undo(project).catch((error: Error) => error);
    await killWhen('it is being undone', () => stateOf(project).state === 'undoing');
    expect(await cutOff).toBeInstanceOf(Error);
    await quay.killable.start();
    const [one, two] = await Promise.all([quay.undo(project), quay.undo(project)]);
    // The first request resumes it; the other gets the same result, or nothing is left to do.
    expect([one.status, two.status].toSorted((a, b) => a - b)[0]).toBe(200);
    await until('it is undone', () => stateOf(project).state === 'undone', 30_000);
    await untouched(before);
    expect(await quay.ours(project)).toEqual({});
    expect(await asked(urlOf(18_106))).toMatch(short(before));
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    await heldBack(before);
  });

  it.runIf(has('compose'))(
    'of a Docker Compose stack works in both directions in order, with all replicas',
    async () => {
      const stack = composeUp(quay.server.docker, 18_108);
      onTestFinished(() => stack.down());
      const [db, front] = await Promise.all(['store-db-1', 'store-web-1'].map((name) => quay.look(name)));
      const workers = ['store-worker-1', 'store-worker-2'];
      const project = await quay.adopt('store', ['store/web', 'store/db', 'store/worker']);
      expect(await quay.deployed(project)).toMatchObject({ status: 'ready', error: null });
      await Promise.all([heldBack(db!.Id), heldBack(front!.Id), ...workers.map((name) => heldBack(name))]);
      expect(await quay.running('worker', '')).toBe(2);
      const ours = await quay.ours(project);
      // The front end calls the other service by name.
      expect(await asked(urlOf(18_108))).toBe(`${short(ours['web']!)} ${short(ours['db']!)} 1`);
      expect((await quay.undone(project)).restored.toSorted()).toEqual(['store-db-1', 'store-web-1', ...workers]);
      expect(await quay.running('worker', '')).toBe(0);
      await Promise.all([untouched(db!.Id, 'always'), untouched(front!.Id, 'always')]);
      expect(await asked(urlOf(18_108))).toBe(`${short(front!.Id)} ${short(db!.Id)} 2`);
      const [first, second] = await Promise.all([db, front].map(async (each) => (await quay.look(each!.Id))!.State));
      expect(Date.parse(first!.StartedAt)).toBeLessThan(Date.parse(second!.StartedAt));
    },
  );

  it('survives an engine restart: originals stay stopped, and stopped containers stay stopped', async () => {
    const before = await quay.run('daemon', web(18_109, 'daemon-data'));
    const idle = await quay.run('idle', worker());
    await quay.server.docker.client.json({ method: 'POST', path: `/containers/${idle}/stop` });
    const project = await quay.adopt('daemon', ['daemon', 'idle']);
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    await quay.server.sshd.switchOff();
    await quay.server.docker.stop();
    await quay.server.docker.start();
    await quay.server.sshd.switchOn();
    await until('ours runs again', async () => Boolean((await quay.ours(project))['daemon']), 40_000);
    await sleep(3000);
    await heldBack(before);
    expect(await asked(urlOf(18_109))).toMatch(short((await quay.ours(project))['daemon']!));
    expect((await quay.undone(project)).restored).toEqual(['daemon', 'idle']);
    await untouched(before);
    expect(await quay.look(idle)).toMatchObject({
      State: { Running: false },
      HostConfig: { RestartPolicy: { Name: 'on-failure', MaximumRetryCount: 3 } },
    });
  });

  it('warns about a removed original, and refuses one with automatic removal', async () => {
    const gone = await quay.run('gone', web(18_110, 'gone-data'));
    const project = await quay.adopt('gone', ['gone']);
    await quay.server.docker.client.json({ method: 'DELETE', path: `/containers/${gone}?force=true` });
    const first = await quay.deployed(project);
    expect(first).toMatchObject({ status: 'ready' });
    expect(await quay.shown(project)).toMatchObject({ state: 'adopted', canUndo: false });
    const fleeting = await quay.run('fleeting', worker({ isRemovedAtItsEnd: true }));
    const other = await quay.adopt('fleeting', ['fleeting']);
    const refused = await quay.deployed(other);
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'original_not_kept' } });
    expect(await quay.look(fleeting)).toMatchObject({ State: { Running: true } });
  });

  it('keeps files outside volumes: it warns of them, and only a forced confirmation removes them', async () => {
    const program = "const fs = require('fs'); fs.mkdirSync('/notes'); fs.writeFileSync('/notes/a.db', 'x');";
    const { Cmd, ...more } = worker() as { Cmd: [string, string, string] };
    const before = await quay.run('notes', { ...more, Cmd: ['node', '-e', program + Cmd[2]] });
    const changes = { method: 'GET', path: `/containers/${before}/changes` } as const;
    const written = async () => JSON.stringify(await quay.server.docker.client.json(changes)).includes('a.db');
    await until('it has written', written);
    const project = await quay.adopt('notes', ['notes']);
    const { id, status } = await quay.deployed(project);
    expect(status).toBe('ready');
    const log = await (await quay.killable.now.get(`/api/deployments/${id}/logs`)).text();
    expect(log).toContain('the container notes wrote 1 file (a.db) under /notes, outside its volumes. Such files stay');
    const refused = await quay.confirm(project);
    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining('1 file (a.db) under /notes'),
    ]);
    expect(await written()).toBe(true);
    expect((await quay.killable.now.post(`/api/migration/${project}/confirm`, { force: true })).status).toBe(200);
    expect(await quay.look(before)).toBeUndefined();
  });

  it('on an unreachable server cannot be undone, and says why', async () => {
    await quay.run('far', worker());
    const project = await quay.adopt('far', ['far']);
    expect(await quay.deployed(project)).toMatchObject({ status: 'ready' });
    await quay.server.sshd.switchOff();
    const answer = await quay.undo(project);
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringMatching(/\w/) as string,
    });
    expect(stateOf(project).state).toBe('switched');
    expect(await quay.shown(project)).toMatchObject({ services: [{ originals: [{ running: null }] }] });
    expect(Object.keys(await quay.ours(project))).toEqual(['far']);
    await quay.server.sshd.switchOn();
    expect((await quay.undone(project)).restored).toEqual(['far']);
  });
});
