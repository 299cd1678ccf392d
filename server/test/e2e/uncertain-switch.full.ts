import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { busyApp } from '../rig/busy-app.ts';
import { begin, deploy, type DeploymentJson, ended, ensureProject, get } from '../rig/deploy.ts';
import { sayFigures } from '../rig/figures.ts';
import { newGate } from '../rig/gate.ts';
import { edgeOf, processesOf, stepsOf } from '../rig/inside.ts';
import { atRest, leftovers } from '../rig/leftovers.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';
import { smallCrowd, startVisitors, visit } from '../rig/visitors.ts';

describe('an edge that hangs while a release is switched', () => {
  let service: Service;
  let projectId: string;
  let first: DeploymentJson;
  let url: string;
  beforeEach(async () => {
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
    projectId = await ensureProject(service, 'uncertain');
    first = await deploy(service, projectId, busyApp('v1'));
    url = first.urls[0]!;
  });
  afterEach(() => service.stop());

  const attempts = (id: string) => stepsOf(service.dataDir, id).find(({ name }) => name === 'route')?.attempt ?? 0;
  const running = () =>
    processesOf(service.dataDir)
      .flatMap(({ what, of }) => (what === 'supervisor' ? [of] : []))
      .toSorted();
  const serving = async () => (await visit(url, '/', { agent: false })).release.split(' ')[0];

  /** A deployment whose edge hangs from just before the switch on. */
  async function hangingSwitch(version: string): Promise<{ id: string; edge: number }> {
    const gate = newGate();
    const id = await begin(service, projectId, busyApp(version, { listensWhen: gate.file }));
    const isChecked = () =>
      stepsOf(service.dataDir, id).some((step) => step.name === 'check' && step.status === 'running');
    await until('it is checked', isChecked);
    const edge = edgeOf(service.dataDir);
    process.kill(edge, 'SIGSTOP');
    gate.open();
    await until('it is switched', () => attempts(id) > 0);
    return { id, edge };
  }

  it('is retried; both releases stay, no success is reported, and in the end it has switched', async () => {
    const { id, edge } = await hangingSwitch('v2');
    await until('it is tried again', () => attempts(id) > 1, 40_000);
    expect(await get(service, id)).toMatchObject({ status: 'deploying', active: false, error: null });
    expect((await get(service, first.id)).active).toBe(true);
    expect(running()).toEqual([first.id, id].toSorted());
    const began = Date.now();
    process.kill(edge, 'SIGCONT');
    const over = await ended(service, id);
    sayFigures('a switch in doubt', { attempts: attempts(id), readyAfterMs: Date.now() - began });
    expect([over.status, over.active]).toEqual(['ready', true]);
    expect(await serving()).toBe('v2');
    await atRest(service.dataDir);
    expect(leftovers(service.dataDir)).toEqual([]);
  }, 120_000);

  it('beyond the deadline: the deployment fails, and the edge serves the active release', async () => {
    const { id, edge } = await hangingSwitch('v2');
    const began = Date.now();
    const over = await ended(service, id, 300_000);
    sayFigures('a switch given up', { attempts: attempts(id), afterMs: Date.now() - began, error: over.error });
    expect(over).toMatchObject({ status: 'failed', active: false, error: { code: 'switch_failed', step: 'route' } });
    expect((await get(service, first.id)).active).toBe(true);
    // No service is running to repair it.
    await service.stop('SIGKILL');
    const visitors = startVisitors(url, 'v1', { ...smallCrowd, sockets: 0, downloads: 0 });
    process.kill(edge, 'SIGCONT');
    await sleep(3000);
    service = await startService({ env: { MOORING_LOG_LEVEL: 'warn' }, dataDir: service.dataDir });
    await sleep(12_000);
    const { failures, requests } = await visitors.stop();
    sayFigures('after it was given up', { requests, failures });
    expect(await serving()).toBe('v1');
    expect(failures).toEqual([]);
    expect(service.output(), 'the edge needed no help').not.toContain('pointing the edge');
    await atRest(service.dataDir);
    expect(leftovers(service.dataDir)).toEqual([]);
    expect((await deploy(service, projectId, busyApp('v3'))).error, 'the next one works').toBeNull();
    expect(await serving()).toBe('v3');
  }, 400_000);

  it('with a service that is killed too: the next one completes the switch', async () => {
    const { id, edge } = await hangingSwitch('v2');
    await service.stop('SIGKILL');
    const starting = startService({ env: { MOORING_LOG_LEVEL: 'warn' }, dataDir: service.dataDir });
    await sleep(5000);
    process.kill(edge, 'SIGCONT');
    service = await starting;
    expect((await ended(service, id)).error).toBeNull();
    expect(await serving()).toBe('v2');
    await atRest(service.dataDir);
    expect(leftovers(service.dataDir)).toEqual([]);
  }, 120_000);
});
