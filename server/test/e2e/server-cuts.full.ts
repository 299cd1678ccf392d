import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ended, ensureProject } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { sayFigures } from '../rig/figures.ts';
import { follow } from '../rig/follower.ts';
import { eventsIn } from '../rig/inside.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { heldPhases, holdIn } from '../rig/phases.ts';
import { type Line, lineTo } from '../rig/server-line.ts';
import { type ServerStage, startServerStage } from '../rig/server-stage.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit, type Visitors } from '../rig/visitors.ts';

describe.runIf(has('docker') && has('sshd'))('a server with a broken connection', () => {
  let rig: ServerStage;
  let line: Line;
  let visitors: Visitors;
  let [count, cuts] = [0, 0];

  beforeAll(async () => {
    rig = await startServerStage();
    line = lineTo(rig.server);
    await ensureProject(rig.killable.now, 'staged', { rollbackWindow: 1 });
    visitors = startVisitors(rig.url, 'v0', smallCrowd, rig.address);
  }, 180_000);
  afterEach(() => line?.restore());
  afterAll(async () => {
    await visitors?.stop();
    await rig?.close();
  });

  const service = () => rig.killable.now;
  const serving = async () => (await visit(rig.url, '/', { agent: false, address: rig.address })).release;

  async function nothingIsLeft(): Promise<void> {
    await atRest(service().dataDir);
    let left: string[] = [];
    const look = async () => !(left = await rig.leftovers()).length;
    await until('nothing is left', look, 40_000).catch(() => expect(left).toEqual([]));
    expect(visitors.figures.failures).toEqual([]);
  }

  /** Blocks a deployment in a phase, injects a fault, releases it, and asserts that all is well. */
  async function goesOn(phase: (typeof heldPhases)[number], trouble: () => Promise<void>): Promise<number> {
    const version = `v${++count}`;
    visitors.allow(version);
    const held = await holdIn(phase, rig.stage(), version);
    const follower = follow(service().url, held.id);
    await sleep(200);
    await trouble();
    const began = Date.now();
    await held.letGo(service());
    const { status, error } = await ended(service(), held.id, 90_000);
    const tookMs = Date.now() - began;
    expect([status, error]).toEqual(['ready', null]);
    const release = await serving();
    expect(release.split(' ')[0]).toBe(version);
    visitors.expect(release);
    const seen = await follower.ended;
    expect(seen.map(({ id }) => id)).toEqual(eventsIn(service().dataDir, held.id).map(({ seq }) => seq));
    await nothingIsLeft();
    return tookMs;
  }

  it.each(heldPhases)(
    'three times in %s resumes unnoticed',
    async (phase) => {
      const tookMs = await goesOn(phase, async () => {
        for (let i = 0; i < 3; i++, cuts++) {
          rig.server.sshd.cut();
          await sleep(300);
        }
      });
      sayFigures(`cut in ${phase}`, { tookMs });
    },
    150_000,
  );

  it.each(heldPhases.filter((phase) => phase !== 'source' && phase !== 'approve'))(
    'that stalls for five seconds in %s resumes',
    async (phase) => {
      const tookMs = await goesOn(phase, async () => {
        line.drop();
        cuts++;
        await sleep(5000);
        line.restore();
      });
      sayFigures(`silence in ${phase}`, { tookMs });
    },
    150_000,
  );

  it.each(['build', 'check'] as const)(
    'for good in %s fails in time with the reason; the active release keeps serving, and nothing is left',
    async (phase) => {
      const before = await serving();
      const held = await holdIn(phase, rig.stage(), `lost-${phase}`);
      line.drop();
      cuts++;
      const began = Date.now();
      const { status, error } = await ended(service(), held.id, 240_000);
      sayFigures(`no way to the server in ${phase}`, { status, tookMs: Date.now() - began, error });
      expect([status, error?.code]).toEqual(['failed', 'server_away']);
      expect(error?.message).toMatch(/elsewhere/);
      expect(await serving()).toBe(before);
      line.restore();
      await held.letGo(service());
      await nothingIsLeft();
      const version = `v${++count}`;
      visitors.allow(version);
      expect(await deploy(service(), rig.projectId, dockerApp(version))).toMatchObject({
        status: 'ready',
        error: null,
      });
      visitors.expect(await serving());
    },
    400_000,
  );

  it('is never noticed by a client', async () => {
    const { versions, ...figures } = await visitors.stop();
    sayFigures('visitors', { cuts, ...figures, versions: versions.size });
    expect(figures.failures).toEqual([]);
  });
});
