import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, ended, ensureProject } from '../rig/deploy.ts';
import { dockerApp } from '../rig/docker-app.ts';
import { containersOf, endForgottenSteps } from '../rig/engine-things.ts';
import { sayFigures } from '../rig/figures.ts';
import { atRest } from '../rig/leftovers.ts';
import { has } from '../rig/parts.ts';
import { type HeldPhase, holdIn } from '../rig/phases.ts';
import { type ServerStage, startServerStage } from '../rig/server-stage.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit } from '../rig/visitors.ts';

const phases: HeldPhase[] = ['build', 'release', 'start', 'check', 'route'];

/** Shared by both kinds of engines. */
function onStage(options: { engine?: string[] } = {}) {
  const on = { rig: undefined as unknown as ServerStage, count: 0 };
  beforeAll(async () => {
    on.rig = await startServerStage(options);
    await ensureProject(on.rig.killable.now, 'staged', { rollbackWindow: 1 });
  }, 180_000);
  afterAll(() => on.rig?.close());
  const service = () => on.rig.killable.now;
  const serving = async () => (await visit(on.rig.url, '/', { agent: false, address: on.rig.address })).release;
  return {
    get rig() {
      return on.rig;
    },
    service,
    serving,
    next: () => `v${++on.count}`,
    answers: (version: string, withinMs = 40_000) =>
      until(`${version} answers`, async () => (await serving()).startsWith(`${version} `), withinMs),
    async nothingIsLeft() {
      endForgottenSteps(on.rig.docker);
      await atRest(service().dataDir);
      let left: string[] = [];
      const look = async () => !(left = await on.rig.leftovers()).length;
      await until('nothing is left', look, 40_000).catch(() => expect(left).toEqual([]));
    },
    async restartEngine(signal: 'SIGTERM' | 'SIGKILL', awayMs = 300) {
      await on.rig.docker.stop(signal);
      await sleep(awayMs);
      await on.rig.docker.start();
    },
  };
}

describe.runIf(has('docker') && has('sshd'))('an engine restart on a server', () => {
  const on = onStage();

  it.each(['SIGKILL', 'SIGTERM'] as const)('while nothing is deployed (%s): app and edge come back', async (signal) => {
    await on.rig.docker.stop(signal);
    await sleep(1000);
    const began = Date.now();
    await on.rig.docker.start();
    await on.answers('v0');
    sayFigures(`engine restarted (${signal})`, { answersAfterMs: Date.now() - began });
    await on.nothingIsLeft();
  });

  it.each(phases)(
    'during %s: the deployment resumes',
    async (phase) => {
      const version = on.next();
      const held = await holdIn(phase, on.rig.stage(), version);
      await sleep(200);
      await on.restartEngine('SIGKILL');
      // The hanging edge has ended with its engine.
      await Promise.resolve()
        .then(() => held.letGo(on.service()))
        .catch((error: Error) => expect([phase, error.message]).toEqual(['route', expect.stringContaining('ESRCH')]));
      const { status, error } = await ended(on.service(), held.id, 90_000);
      expect([status, error]).toEqual(['ready', null]);
      await on.answers(version);
      await on.nothingIsLeft();
    },
    180_000,
  );
});

describe.runIf(has('docker') && has('sshd'))('an engine restart on a server with live restore', () => {
  // The engine's userland proxy ends with it and cuts its connections; without it the kernel routes to containers.
  const on = onStage({ engine: ['--live-restore', '--userland-proxy=false'] });

  it('while nothing is deployed, and during a deployment: clients notice nothing', async () => {
    const visitors = startVisitors(on.rig.url, 'v0', smallCrowd, on.rig.address);
    await sleep(500);
    await on.restartEngine('SIGTERM', 1000);
    await on.answers('v0');
    for (const phase of ['release', 'check'] as const) {
      const version = on.next();
      visitors.allow(version);
      const held = await holdIn(phase, on.rig.stage(), version);
      await on.restartEngine('SIGTERM');
      await held.letGo(on.service());
      const { status, error } = await ended(on.service(), held.id, 90_000);
      expect([phase, status, error]).toEqual([phase, 'ready', null]);
      visitors.expect(await on.serving());
    }
    const { versions, ...figures } = await visitors.stop();
    sayFigures('live restore', { ...figures, versions: versions.size });
    expect(figures.failures).toEqual([]);
    await on.nothingIsLeft();
  }, 240_000);
});

describe.runIf(has('docker') && has('sshd'))('a server', () => {
  const on = onStage();

  /** The downtime from now until the next response. */
  async function outage(version: string, trouble: () => Promise<unknown>): Promise<number> {
    const began = Date.now();
    await trouble();
    await on.answers(version);
    return Date.now() - began;
  }
  const client = () => on.rig.docker.client;

  it('restarts a killed edge process at once, without us', async () => {
    await on.rig.killable.kill();
    const { pid } = await on.rig.edge();
    const awayMs = await outage('v0', async () => process.kill(pid, 'SIGKILL'));
    sayFigures('edge process killed', { awayMs });
    expect(awayMs).toBeLessThan(5000);
    await on.rig.killable.start();
  });

  it.each(['kill', 'stop', 'remove'] as const)('soon restores its edge after a manual %s', async (how) => {
    const { id } = await on.rig.edge();
    const calls = {
      kill: { method: 'POST', path: `/containers/${id}/kill` },
      stop: { method: 'POST', path: `/containers/${id}/stop?t=1` },
      remove: { method: 'DELETE', path: `/containers/${id}?force=1` },
    } as const;
    const awayMs = await outage('v0', () => client().json(calls[how]));
    sayFigures(`edge: ${how}`, { awayMs });
    expect(awayMs).toBeLessThan(15_000);
    await on.nothingIsLeft();
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('serves after a reboot (%s) without us', async (signal) => {
    const before = (await containersOf(on.rig.docker)).filter(({ State }) => State === 'running').map(({ Id }) => Id);
    await on.rig.killable.kill();
    await on.rig.server.sshd.switchOff();
    await on.rig.docker.stop(signal);
    const awayMs = await outage('v0', () => on.rig.docker.start());
    sayFigures(`boot (${signal})`, { awayMs });
    const after = (await containersOf(on.rig.docker)).filter(({ State }) => State === 'running').map(({ Id }) => Id);
    expect(new Set(after)).toEqual(new Set(before));
    await on.rig.server.sshd.switchOn();
    await on.rig.killable.start();
    await on.answers('v0');
    await on.nothingIsLeft();
  });

  it('resumes a deployment after a reboot', async () => {
    const version = on.next();
    const held = await holdIn('check', on.rig.stage(), version);
    await on.rig.server.sshd.switchOff();
    await on.restartEngine('SIGKILL', 1000);
    await on.rig.server.sshd.switchOn();
    await held.letGo(on.service());
    const { status, error } = await ended(on.service(), held.id, 90_000);
    expect([status, error]).toEqual(['ready', null]);
    await on.answers(version);
    const last = on.next();
    expect(await deploy(on.service(), on.rig.projectId, dockerApp(last))).toMatchObject({ error: null });
    await on.answers(last);
    await on.nothingIsLeft();
  }, 150_000);
});
