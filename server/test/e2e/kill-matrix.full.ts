import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken } from '../rig/app.ts';
import { busyApp } from '../rig/busy-app.ts';
import { ask, begin, deploy, type DeploymentJson, ended, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { newGate } from '../rig/gate.ts';
import { type GitServer, startGitServer } from '../rig/git-server.ts';
import { deploymentsIn, eventsIn, holdDatabase, standOf, stepsOf } from '../rig/inside.ts';
import { approveAll, type Killable, startKillable } from '../rig/killable.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { heldPhases, holdIn, stagedProject } from '../rig/phases.ts';
import { killAt } from '../rig/sniper.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit, type Visitors } from '../rig/visitors.ts';

const allSteps = ['source', 'detect', 'build', 'approve', 'release', 'start', 'check', 'route', 'retire', 'tidy'];

describe('kill -9 of the service', () => {
  let killable: Killable;
  let git: GitServer;
  let visitors: Visitors;
  let projectId: string;
  let url: string;
  let count = 0;
  const stands = new Map<string, number>();

  beforeAll(async () => {
    [killable, git] = await Promise.all([startKillable(), startGitServer()]);
    projectId = await stagedProject(killable.now, git);
    await ensureProject(killable.now, 'staged', { rollbackWindow: 2 });
    url = (await deploy(killable.now, projectId, busyApp('v0'))).urls[0]!;
    visitors = startVisitors(url, 'v0', smallCrowd);
  });
  afterAll(async () => {
    await visitors?.stop();
    await killable?.now.stop();
    await git?.stop();
  });

  const dataDir = () => killable.now.dataDir;
  const newVersion = () => {
    const version = `v${++count}`;
    visitors.allow(version);
    return version;
  };
  const stage = () => ({ service: killable.now, projectId, git, url });

  /** The progress at the time of the kill, for the final count. */
  function note(id: string): string {
    const stand = standOf(stepsOf(dataDir(), id));
    stands.set(stand, (stands.get(stand) ?? 0) + 1);
    return stand;
  }

  async function killAndStart(id: string): Promise<void> {
    await killable.kill();
    note(id);
    await killable.start();
  }

  /** Asserts the same end as without interruption: it serves alone, and nothing is left over. */
  async function isWell(id: string, version: string, follower: ReturnType<typeof follow>): Promise<DeploymentJson> {
    const deployment = await ended(killable.now, id);
    expect([deployment.status, deployment.error, deployment.active]).toEqual(['ready', null, true]);
    const { release } = await visit(url, '/', { agent: false });
    expect(release.split(' ')[0]).toBe(version);
    visitors.expect(release);
    await sawEverythingOnce(id, follower);
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
    expect(
      deploymentsIn(dataDir())
        .filter((each) => each.active)
        .map((each) => each.id),
    ).toEqual([id]);
    expect(visitors.figures.failures).toEqual([]);
    return deployment;
  }

  async function sawEverythingOnce(id: string, follower: ReturnType<typeof follow>): Promise<void> {
    const seen = await follower.ended;
    const recorded = eventsIn(dataDir(), id);
    expect(seen.map((event) => event.id)).toEqual(recorded.map(({ seq }) => seq));
    for (const [i, { data, event }] of seen.entries()) {
      expect(event).toBe(recorded[i]!.type);
      expect(data).toMatchObject(JSON.parse(recorded[i]!.data) as object);
    }
  }

  it.each(heldPhases)('during %s', async (phase) => {
    const version = newVersion();
    const held = await holdIn(phase, stage(), version);
    const follower = follow(killable.now.url, held.id);
    await sleep(300);
    await killAndStart(held.id);
    await held.letGo(killable.now);
    await isWell(held.id, version, follower);
  });

  /** A deployment with every step, not started yet. */
  async function prepared(version: string, scripts: Record<string, string> = {}) {
    const everything = { requireApproval: true, releaseCommand: 'echo migrated' };
    await ensureProject(killable.now, 'staged', everything);
    const id = await begin(
      killable.now,
      projectId,
      busyApp(version, { scripts: { build: 'echo built', ...scripts } }),
      {
        autoStart: false,
      },
    );
    await ensureProject(killable.now, 'staged', { requireApproval: false, releaseCommand: null });
    return id;
  }

  async function snipe(step: string, when: 'running' | 'done'): Promise<void> {
    const version = newVersion();
    const id = await prepared(version);
    const follower = follow(killable.now.url, id);
    const approving = approveAll(killable, id);
    const sniper = killAt({ dataDir: dataDir(), id, step, when });
    await sniper.ready;
    await json(killable.now.post(`/api/deployments/${id}/build`, {}));
    await sniper.shot;
    await killable.kill();
    note(id);
    await killable.start();
    await isWell(id, version, follower);
    approving.stop();
  }

  it.each(allSteps)('at the start of %s', (step) => snipe(step, 'running'));

  it.each(allSteps)('right after %s', (step) => snipe(step, 'done'));

  it.each(['release', 'start', 'route'] as const)('when %s was done but not recorded', async (phase) => {
    const version = newVersion();
    const held = await holdIn(phase, stage(), version);
    const follower = follow(killable.now.url, held.id);
    const database = holdDatabase(dataDir());
    await held.letGo(killable.now);
    if (phase === 'route')
      await until('the edge has switched', async () =>
        (await visit(url, '/', { agent: false })).release.startsWith(`${version} `),
      );
    else await sleep(1500);
    await killable.kill();
    expect(note(held.id)).toBe(`in ${phase}`);
    database.letGo();
    await killable.start();
    await isWell(held.id, version, follower);
  });

  it('repeatedly in one deployment, at every step', async () => {
    const version = newVersion();
    const id = await prepared(version);
    const follower = follow(killable.now.url, id);
    const approving = approveAll(killable, id);
    type Moment = { step: string; when: 'running' | 'done' };
    const aim = async ({ step, when }: Moment) => {
      const sniper = killAt({ dataDir: dataDir(), id, step, when });
      await sniper.ready;
      return sniper;
    };
    const moments = allSteps.flatMap((step): Moment[] => [
      { step, when: 'running' },
      { step, when: 'done' },
    ]);
    let sniper = await aim(moments.shift()!);
    await json(killable.now.post(`/api/deployments/${id}/build`, {}));
    for (;;) {
      await sniper.shot;
      await killable.kill();
      note(id);
      const over = new Set(stepsOf(dataDir(), id).flatMap(({ name, status }) => (status === 'done' ? [name] : [])));
      while (moments[0] && over.has(moments[0].step)) moments.shift();
      const next = moments.shift();
      if (next) sniper = await aim(next);
      await killable.start();
      if (!next) break;
    }
    await isWell(id, version, follower);
    approving.stop();
  }, 180_000);

  it('during the cleanup after a failure: nothing is built in a partial folder', async () => {
    const gate = newGate();
    const build = `[ -e ${gate.file} ] || { mkdir many; cd many; seq 1 60000 | xargs touch; exit 7; }`;
    const site = await ensureProject(killable.now, 'half', { buildCommand: build, outputDirectory: '.' });
    const pages = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}.html`, 'whole']));
    const id = await begin(killable.now, site, folderOf({ 'index.html': 'whole', ...pages }));
    const releases = () => readdirSync(join(dataDir(), 'releases'));
    await until('it builds', () => existsSync(join(dataDir(), 'releases', id, 'many/1000')), 60_000);
    await until('it is cleared away', () => {
      const folder = join(dataDir(), 'releases', id);
      return !existsSync(folder) || readdirSync(folder).length < 200;
    });
    await killable.kill();
    expect(
      releases().some((name) => name.startsWith(id)),
      'it was not yet cleared away',
    ).toBe(true);
    gate.open();
    await killable.start();
    const { status, urls } = await ended(killable.now, id);
    expect(status, 'the second attempt works').toBe('ready');
    for (const page of ['/', '/7.html', '/199.html']) expect((await ask(urls[0]!, page)).body).toBe('whole');
    await until('nothing is left of the first', () => !releases().some((name) => name.endsWith('.removed')));
    const headers = { authorization: `Bearer ${ownerToken}` };
    await json(fetch(`${killable.now.url}/api/projects/${site}`, { method: 'DELETE', headers }));
  }, 120_000);

  it('at forty random moments', async () => {
    for (let kills = 0; kills < 40;) {
      const version = newVersion();
      const id = await prepared(version, { build: 'for i in 1 2 3; do echo line $i; sleep 0.05; done' });
      const follower = follow(killable.now.url, id);
      const approving = approveAll(killable, id);
      await json(killable.now.post(`/api/deployments/${id}/build`, {}));
      // A third kill in the same step fails the deployment, by design.
      for (let i = 0; i < 1 + (count % 2); i++, kills++) {
        await sleep(Math.random() * 3500);
        await killAndStart(id);
      }
      await isWell(id, version, follower);
      approving.stop();
    }
  }, 600_000);

  it('is never noticed by a client', async () => {
    const { versions, ...figures } = await visitors.stop();
    sayFigures('kills', {
      kills: killable.kills,
      at: Object.fromEntries([...stands].toSorted(([a], [b]) => a.localeCompare(b))),
    });
    sayFigures('visitors', { ...figures, versions: versions.size });
    expect(figures.failures).toEqual([]);
  });
});
