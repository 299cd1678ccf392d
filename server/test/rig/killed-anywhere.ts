import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { begin, type DeploymentJson, ended, ensureProject, json } from './deploy.ts';
import { dockerApp } from './docker-app.ts';
import type { DockerStage } from './docker-stage.ts';
import { sayFigures } from './figures.ts';
import { follow } from './follower.ts';
import { deploymentsIn, eventsIn, holdDatabase, standOf, stepsOf } from './inside.ts';
import { approveAll } from './killable.ts';
import { atRest } from './leftovers.ts';
import { heldPhases, holdIn } from './phases.ts';
import { killAt } from './sniper.ts';
import { until } from './until.ts';
import { smallCrowd, startVisitors, visit, type Visitors } from './visitors.ts';

const allSteps = ['source', 'detect', 'build', 'approve', 'release', 'start', 'check', 'route', 'retire', 'tidy'];

/** Kills the service at every moment of a deployment to containers; the deployment must end as if uninterrupted. */
export function killedAnywhere(start: () => Promise<DockerStage>): void {
  let rig: DockerStage;
  let visitors: Visitors;
  let count = 0;
  const stands = new Map<string, number>();

  beforeAll(async () => {
    rig = await start();
    await ensureProject(rig.killable.now, 'staged', { rollbackWindow: 2 });
    visitors = startVisitors(rig.url, 'v0', smallCrowd, rig.address);
  }, 180_000);
  afterAll(async () => {
    await visitors?.stop();
    await rig?.close();
  });

  const service = () => rig.killable.now;
  const dataDir = () => service().dataDir;
  const newVersion = () => {
    const version = `v${++count}`;
    visitors.allow(version);
    return version;
  };

  /** Kills it, unless that has already happened, and notes the progress of the deployment. */
  async function kill(id: string): Promise<string> {
    await rig.killable.kill();
    const stand = standOf(stepsOf(dataDir(), id));
    stands.set(stand, (stands.get(stand) ?? 0) + 1);
    return stand;
  }

  /** Asserts the same end as without interruption: it serves alone, and nothing is left over. */
  async function isWell(id: string, version: string, follower: ReturnType<typeof follow>): Promise<DeploymentJson> {
    const deployment = await ended(service(), id);
    expect([deployment.status, deployment.error, deployment.active]).toEqual(['ready', null, true]);
    const { release } = await visit(rig.url, '/', { agent: false, address: rig.address });
    expect(release.split(' ')[0]).toBe(version);
    visitors.expect(release);
    await sawEverythingOnce(id, follower);
    await atRest(dataDir());
    expect(await rig.leftovers(), service().output().slice(-3000)).toEqual([]);
    const active = deploymentsIn(dataDir()).filter((each) => each.active);
    expect(active.map((each) => each.id)).toEqual([id]);
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

  it.each(heldPhases)('in the middle of %s', async (phase) => {
    const version = newVersion();
    const held = await holdIn(phase, rig.stage(), version);
    const follower = follow(service().url, held.id);
    await sleep(300);
    await kill(held.id);
    await rig.killable.start();
    await held.letGo(service());
    await isWell(held.id, version, follower);
  });

  /** A deployment with every step, not started yet. */
  async function prepared(version: string, build = `echo built ${version}`): Promise<string> {
    await ensureProject(service(), 'staged', { requireApproval: true, releaseCommand: 'echo migrated' });
    const app = dockerApp(version, { scripts: { build } });
    const id = await begin(service(), rig.projectId, app, { autoStart: false });
    await ensureProject(service(), 'staged', { requireApproval: false, releaseCommand: null });
    return id;
  }

  const aim = async (id: string, step: string, when: 'running' | 'done', delayMs = 0) => {
    const sniper = killAt({ dataDir: dataDir(), id, step, when, delayMs });
    await sniper.ready;
    return sniper;
  };

  /** Some milliseconds into a step, the engine is in the middle of an operation. */
  const moments = [
    ...['build', 'release', 'start', 'route', 'tidy'].map((step) => ({ step, when: 'running' as const, delayMs: 0 })),
    ...['build', 'release', 'start', 'route', 'retire'].map((step) => ({ step, when: 'done' as const, delayMs: 0 })),
    ...['release', 'start', 'start'].map((step, i) => ({ step, when: 'running' as const, delayMs: 60 + 120 * i })),
  ];

  it.each(moments)('$delayMs ms after $step is $when', async ({ step, when, delayMs }) => {
    const version = newVersion();
    const id = await prepared(version);
    const follower = follow(service().url, id);
    const approving = approveAll(rig.killable, id);
    const sniper = await aim(id, step, when, delayMs);
    await json(service().post(`/api/deployments/${id}/build`, {}));
    await sniper.shot;
    await kill(id);
    await rig.killable.start();
    await isWell(id, version, follower);
    approving.stop();
  });

  it.each(['release', 'start', 'route'] as const)('when %s was done and could not be written down', async (phase) => {
    const version = newVersion();
    const held = await holdIn(phase, rig.stage(), version);
    const follower = follow(service().url, held.id);
    const database = holdDatabase(dataDir());
    await held.letGo(service());
    if (phase === 'route')
      await until('the edge has switched', async () =>
        (await visit(rig.url, '/', { agent: false, address: rig.address })).release.startsWith(`${version} `),
      );
    else await sleep(1500);
    expect(await kill(held.id)).toBe(`in ${phase}`);
    database.letGo();
    await rig.killable.start();
    await isWell(held.id, version, follower);
  });

  it('again and again in one deployment, at every step of it', async () => {
    const version = newVersion();
    const id = await prepared(version);
    const follower = follow(service().url, id);
    const approving = approveAll(rig.killable, id);
    const left = allSteps.flatMap((step) => (['running', 'done'] as const).map((when) => ({ step, when })));
    let sniper = await aim(id, 'source', 'running');
    left.shift();
    await json(service().post(`/api/deployments/${id}/build`, {}));
    for (;;) {
      await sniper.shot;
      await kill(id);
      const over = new Set(stepsOf(dataDir(), id).flatMap(({ name, status }) => (status === 'done' ? [name] : [])));
      while (left[0] && over.has(left[0].step)) left.shift();
      const next = left.shift();
      if (next) sniper = await aim(id, next.step, next.when);
      await rig.killable.start();
      if (!next) break;
    }
    await isWell(id, version, follower);
    approving.stop();
  }, 180_000);

  it('at ten random moments', async () => {
    for (let kills = 0; kills < 10;) {
      const version = newVersion();
      const id = await prepared(version, `for i in 1 2 3; do echo ${version} $i; sleep 0.1; done`);
      const follower = follow(service().url, id);
      const approving = approveAll(rig.killable, id);
      await json(service().post(`/api/deployments/${id}/build`, {}));
      // A third kill in the same step fails the deployment, by design.
      for (let i = 0; i < 1 + (count % 2); i++, kills++) {
        await sleep(Math.random() * 3500);
        await kill(id);
        await rig.killable.start();
      }
      await isWell(id, version, follower);
      approving.stop();
    }
  }, 240_000);

  it('is never noticed by a visitor', async () => {
    const { versions, ...figures } = await visitors.stop();
    const at = Object.fromEntries([...stands].toSorted(([a], [b]) => a.localeCompare(b)));
    sayFigures('kills', { kills: rig.killable.kills, at });
    sayFigures('visitors', { ...figures, versions: versions.size });
    expect(figures.failures).toEqual([]);
  });
}
