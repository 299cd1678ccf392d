import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { begin, deploy, type DeploymentJson, ended, ensureProject, get, json } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { newGate } from '../rig/gate.ts';
import { deploymentsIn, edgeOf, processesOf, stepsOf } from '../rig/inside.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit } from '../rig/visitors.ts';

const quickCrowd = { ...smallCrowd, sockets: 0, downloads: 0 };

describe('kill -9 of processes beside the service', () => {
  let killable: Killable;
  let projectId: string;
  let first: DeploymentJson;
  let url: string;
  beforeEach(async () => {
    killable = await startKillable();
    projectId = await ensureProject(killable.now, 'survivor');
    first = await deploy(killable.now, projectId, busyApp('v1'));
    url = first.urls[0]!;
  });
  afterEach(() => killable.now.stop());

  const dataDir = () => killable.now.dataDir;
  const killProcesses = (...what: string[]) => {
    const victims = processesOf(dataDir()).filter((each) => what.includes(each.what));
    for (const { pid } of victims) process.kill(pid, 'SIGKILL');
    return victims.length;
  };
  const answers = async (version: string) =>
    (await visit(url, '/', { agent: false })).release.startsWith(`${version} `);
  const isStep = (id: string, name: string, status: string) =>
    stepsOf(dataDir(), id).some((step) => step.name === name && step.status === status);

  /** The downtime that clients observe: all failures are in one gap. */
  async function gapOf(visitors: ReturnType<typeof startVisitors>, version: string, act: () => unknown) {
    await sleep(500);
    const began = Date.now();
    await act();
    await sleep(50);
    await until('it answers again', () => answers(version), 30_000);
    const gapMs = Date.now() - began;
    await sleep(1500);
    const { failures, requests, longestMs } = await visitors.stop();
    const late = failures.filter((each) => Date.parse(each.split(' ')[0]!) > began + gapMs);
    expect(late, 'nothing fails after it is back').toEqual([]);
    return { gapMs, requests, failed: failures.length, longestMs };
  }

  it('the edge: it restarts on the same port with the same routes, and clients notice only the gap', async () => {
    const before = edgeOf(dataDir());
    const figures = await gapOf(startVisitors(url, 'v1', quickCrowd), 'v1', () => process.kill(before, 'SIGKILL'));
    sayFigures('edge killed', figures);
    expect(edgeOf(dataDir())).not.toBe(before);
    expect(figures.gapMs).toBeLessThan(8000);
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
  });

  it('the edge during a switch: the switch completes', async () => {
    const gate = newGate();
    const id = await begin(killable.now, projectId, busyApp('v2', { listensWhen: gate.file }));
    await until('it is checked', () => isStep(id, 'check', 'running'));
    process.kill(edgeOf(dataDir()), 'SIGSTOP');
    gate.open();
    await until('it is switched', () => isStep(id, 'route', 'running'));
    killProcesses('edge');
    expect((await ended(killable.now, id)).error).toBeNull();
    expect(await answers('v2')).toBe(true);
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
  });

  it('the edge while the old release drains', async () => {
    const visitors = startVisitors(url, 'v1', { ...smallCrowd, fresh: 0, kept: 0, posts: 0 });
    await sleep(500);
    visitors.allow('v2');
    const id = await begin(killable.now, projectId, busyApp('v2'));
    await until('it is drained', () => isStep(id, 'retire', 'running'));
    killProcesses('edge');
    await until('it answers again', () => answers('v2'));
    await visitors.stop();
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
  });

  type Info = { data: { containers: { state: string; notices: string[] }[] } };

  it('a supervisor: its app keeps running, gets a new supervisor, and the service logs it', async () => {
    const visitors = startVisitors(url, 'v1', smallCrowd);
    await sleep(500);
    killProcesses('supervisor');
    await until('there is another one', () => processesOf(dataDir()).some(({ what }) => what === 'supervisor'), 15_000);
    await sleep(2000);
    const { failures, requests, longestMs } = await visitors.stop();
    sayFigures('supervisor killed', { requests, longestMs, failures });
    expect(failures).toEqual([]);
    const { containers } = (await json<Info>(killable.now.get(`/api/deployments/${first.id}/info`))).data;
    expect(containers[0]).toMatchObject({
      state: 'running',
      notices: [expect.stringContaining('supervisor was killed')],
    });
    expect(leftovers(dataDir())).toEqual([]);
    const next = await deploy(killable.now, projectId, busyApp('v2'));
    expect(next.error, 'the next release replaces it').toBeNull();
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
  });

  it('the app: its supervisor restarts it', async () => {
    const figures = await gapOf(startVisitors(url, 'v1', quickCrowd), 'v1', () => killProcesses('app'));
    sayFigures('app killed', figures);
    expect(figures.gapMs).toBeLessThan(4000);
  });

  it('supervisor and app at once: both are restarted', async () => {
    const figures = await gapOf(startVisitors(url, 'v1', quickCrowd), 'v1', () => killProcesses('supervisor', 'app'));
    sayFigures('supervisor and app killed', figures);
    expect(figures.gapMs).toBeLessThan(15_000);
    expect(leftovers(dataDir())).toEqual([]);
  });

  const everything = ['service', 'edge', 'supervisor', 'app', 'command'];

  it('everything, like a power failure: the active release serves again', async () => {
    expect(killProcesses(...everything)).toBeGreaterThanOrEqual(4);
    await killable.kill();
    const began = Date.now();
    await killable.start();
    await until('it answers', () => answers('v1'));
    sayFigures('after a power cut', { answersAfterMs: Date.now() - began });
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
  });

  it.each(['build', 'check', 'route', 'retire'])('everything during %s', async (step) => {
    const gate = newGate();
    const scripts = { build: step === 'build' ? `echo building; sleep 1` : 'echo built' };
    const app = busyApp('v2', { scripts, ...(['check', 'route'].includes(step) && { listensWhen: gate.file }) });
    const visitors = startVisitors(url, 'v1', { ...smallCrowd, fresh: 0, kept: 0, posts: 0 });
    visitors.allow('v2');
    const id = await begin(killable.now, projectId, app);
    if (step === 'route') {
      await until('it is checked', () => isStep(id, 'check', 'running'));
      process.kill(edgeOf(dataDir()), 'SIGSTOP');
      gate.open();
    }
    await until(`it is in ${step}`, () => isStep(id, step, 'running'), 30_000);
    killProcesses(...everything);
    await killable.kill();
    gate.open();
    await killable.start();
    const deployment = await ended(killable.now, id);
    await visitors.stop();
    expect([deployment.status, deployment.error]).toEqual(['ready', null]);
    await until('it answers', () => answers('v2'));
    await atRest(dataDir());
    expect(leftovers(dataDir())).toEqual([]);
    expect(deploymentsIn(dataDir()).filter(({ active }) => active)).toHaveLength(1);
    expect((await get(killable.now, first.id)).active).toBe(false);
  });
});
