import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { contentDigests } from '../../src/areas/deployments/model/stack.ts';
import { TrafficSwitch } from '../../src/areas/deployments/rollout/traffic-switch.ts';
import { restoreServices, stopServices } from '../../src/areas/deployments/rollout/restore.ts';
import type { ServiceRuntime } from '../../src/drivers/runtime/runtime.ts';
import { exchanged, type Restored } from '../rig/restore.ts';

const shop = [
  { name: 'web', image: 'some', dependsOn: ['api'] },
  { name: 'api', image: 'some', dependsOn: ['db'] },
  { name: 'worker', image: 'some', dependsOn: ['db'] },
  { name: 'db', image: 'some' },
];
const alone = shop.map(({ name, image }) => ({ name, image }));

describe('rolling back services', () => {
  let rig: Restored;
  afterEach(() => rig.app.close());

  /** Overrides how the containers of the previous version are started. */
  function ensuring({ parts }: Restored['context'], ensureRunning: ServiceRuntime['ensureRunning']): void {
    parts.containers = { ...parts.containers!, services: { ...rig.runtime, ensureRunning } };
  }

  /** Records when each container of the previous version was started, and when it was last looked up. */
  function watch({ runtime, before, context }: Restored) {
    const began = new Map<string, number>();
    const ended = new Map<string, number>();
    ensuring(context, async (id, service) => {
      if (id === before) began.set(service, performance.now());
      await sleep(50);
      return runtime.ensureRunning(id, service);
    });
    context.parts.runtime = {
      ...runtime,
      async find(id, service) {
        if (id === before) ended.set(service!, performance.now());
        return runtime.find(id, service);
      },
    };
    return { began, ended };
  }

  it('runs concurrently, but dependencies first', async () => {
    rig = await exchanged(
      { entries: shop, version: '1' },
      { entries: shop, version: '2' },
      { strategy: 'start_first' },
    );
    const { began, ended } = watch(rig);
    const { left, replaced } = await restoreServices(rig.context);
    expect({ left, replaced: replaced.toSorted() }).toEqual({ left: [], replaced: ['api', 'db', 'web', 'worker'] });
    const [web, api, worker, db] = shop.map(({ name }) => ({ began: began.get(name)!, ended: ended.get(name)! }));
    expect(api!.began).toBeGreaterThan(db!.ended);
    expect(worker!.began).toBeGreaterThan(db!.ended);
    expect(web!.began).toBeGreaterThan(api!.ended);
    expect(Math.max(api!.began, worker!.began), 'both').toBeLessThan(Math.min(api!.ended, worker!.ended));
    const { states } = await rig.noted(rig.after);
    expect(states.map(({ status, runsOf }) => [status, runsOf])).toEqual(shop.map(() => ['rolled_back', rig.before]));
    const statesNow = () => Promise.all(shop.map(async ({ name }) => (await rig.runtime.find(rig.after, name))!.state));
    expect(await statesNow(), 'those that get no requests any more run until they are stopped').toEqual(
      shop.map(() => 'running'),
    );
    await stopServices(rig.context, replaced);
    expect(await statesNow()).toEqual(shop.map(() => 'exited'));
  });

  it('leaves the addresses of services in progress alone', async () => {
    const server = createServer((_request, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const entries = ['quick', 'slow'].map((name) => ({ name, image: 'some', ports: ['80'] }));
    const how = (name: string) => ({ strategy: name === 'slow' ? ('stop_first' as const) : ('start_first' as const) });
    const made = (version: string) => ({ entries, version });
    rig = await exchanged(made('1'), made('2'), how, { onStart: () => ({ port }) });
    const { runtime, context } = rig;
    ensuring(context, async (id, service) => {
      if (service === 'slow') await sleep(2500);
      return runtime.ensureRunning(id, service);
    });
    context.parts.runtime = {
      ...runtime,
      async find(id, service) {
        const found = await runtime.find(id, service);
        // Like an engine: a stopped container is unreachable.
        return found && { ...found, port: found.state === 'running' ? found.port : 0 };
      },
    };
    await new TrafficSwitch(context).settle();
    const { edge } = context.parts;
    const reached: string[][] = [];
    context.parts.edge = {
      ...edge,
      point: (project) => {
        reached.push(project.routes.map(({ deploymentId }) => deploymentId.split('/')[1]!).toSorted());
        return edge.point(project);
      },
    };
    expect(await restoreServices(context)).toEqual({ left: [], replaced: ['quick'] });
    expect(reached.length).toBeGreaterThan(2);
    // The last is from the previous release, which is empty here.
    for (const each of reached.slice(0, -1)) expect(each).toEqual(['quick', 'slow']);
  });

  it('follows the dependencies of the previous version', async () => {
    rig = await exchanged(
      { entries: shop, version: '1' },
      { entries: alone, version: '2' },
      { strategy: 'stop_first' },
    );
    const { began, ended } = watch(rig);
    expect(await restoreServices(rig.context)).toEqual({ left: [], replaced: [] });
    expect(began.get('api')!).toBeGreaterThan(ended.get('db')!);
    expect(began.get('web')!).toBeGreaterThan(ended.get('api')!);
  });

  it('works even if old and new dependencies form a cycle', async () => {
    const circle = [
      { name: 'db', image: 'some', dependsOn: ['fresh'] },
      { name: 'fresh', image: 'some' },
    ];
    const now = [
      { name: 'db', image: 'some' },
      { name: 'fresh', image: 'some', dependsOn: ['db'] },
    ];
    rig = await exchanged(
      { entries: circle, version: '1' },
      { entries: now, version: '2' },
      { strategy: 'start_first' },
    );
    expect(await restoreServices(rig.context)).toEqual({ left: [], replaced: ['fresh', 'db'] });
    expect((await rig.noted(rig.after)).states.map(({ status }) => status)).toEqual(['rolled_back', 'rolled_back']);
  });

  it('leaves services in place that cannot be rolled back, and the continuing release says so', async () => {
    const changed = shop.map((each) => (each.name === 'db' ? { ...each, volumes: ['more:/more'] } : each));
    rig = await exchanged(
      { entries: shop, version: '1' },
      { entries: changed, version: '2' },
      { strategy: 'stop_first' },
    );
    const { runtime } = rig;
    ensuring(rig.context, (id, service) =>
      id === rig.before && service === 'db'
        ? Promise.reject(new Error('cannot read its files'))
        : runtime.ensureRunning(id, service),
    );
    expect(await restoreServices(rig.context)).toEqual({ left: ['db'], replaced: [] });
    expect((await rig.runtime.find(rig.after, 'db'))!.state).toBe('running');
    const { stack, states } = await rig.noted(rig.before);
    expect(states.map(({ name, runsOf, image }) => [name, runsOf, image!.imageId])).toEqual([
      ['web', rig.before, 'sha256:1'],
      ['api', rig.before, 'sha256:1'],
      ['worker', rig.before, 'sha256:1'],
      ['db', rig.after, 'sha256:2'],
    ]);
    expect(stack.digests).toEqual({ web: 'web 1', api: 'api 1', worker: 'worker 1', db: 'db 2' });
    expect(stack.project.services.find(({ name }) => name === 'db')!.mounts).toHaveLength(1);
    expect(stack.project.volumes.map(({ name }) => name)).toEqual(['more']);
    expect(contentDigests(stack).toSorted()).toEqual(['1'.padEnd(64, '0'), '2'.padEnd(64, '0')]);
    expect(stack.secrets).toEqual(['1', '2']);
  });

  it("recreates a missing container with its former settings, not the project's current ones", async () => {
    const healthCheck = { type: 'http' as const, path: '/never', timeoutSeconds: 1 };
    const old = { entries: alone, version: '1', config: { memoryBytes: 100, cpus: 1 } };
    const now = { entries: alone, version: '2', config: { memoryBytes: 200, cpus: 2, healthCheck, trusted: true } };
    rig = await exchanged(old, now, { strategy: 'start_first' });
    await rig.runtime.remove(rig.before, 'db');
    expect((await restoreServices(rig.context)).left).toEqual([]);
    expect(rig.runtime.releases.get(`${rig.before}/db`)).toMatchObject({
      memoryBytes: 100,
      cpus: 1,
      imageId: 'sha256:1',
    });
  });
});
