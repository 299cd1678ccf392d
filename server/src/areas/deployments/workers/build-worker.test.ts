import { readdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { until } from '../../../../test/rig/until.ts';
import { BuildRefusedError } from '../../../drivers/images/errors.ts';
import type { BuildRequest, Images } from '../../../drivers/images/images.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { createSealer, sealKey } from '../../../lib/seal.ts';
import { BuildWorker } from './build-worker.ts';
import { builtByWorkers } from './worker-images.ts';
import { reportWorker } from './worker-store.ts';

const platform = 'linux/amd64';
const registry = { registry: 'registry.example.com', login: undefined };
const pushed = { repository: 'registry.example.com/mooring', tag: 't', digest: 'sha256:1' };
const built = { image: 'mooring/prj_1:dep_1', imageId: 'sha256:2', bytes: 3 };
const databaseAway = () => new Error('Connection terminated unexpectedly');

describe('a build on a worker', () => {
  let app: TestApp;
  let deploymentId: string;
  let workers: BuildWorker[] = [];
  const sealer = createSealer({ keys: () => keys });
  const keys = [sealKey(randomBytes(32))];
  beforeEach(async () => {
    app = await startApp('sqlite');
    const post = (to: string, body: object) => app.call('POST', to, { token: ownerToken, body });
    const made = await post('/api/projects', { name: 'shop', source: { type: 'local', path: newFolder('site') } });
    const { id: projectId } = (made.body as unknown as { data: { id: string } }).data;
    const begun = await post('/api/deployments/build/access', { projectId });
    deploymentId = (begun.body as unknown as { deployment_id: string }).deployment_id;
  });
  afterEach(async () => {
    for (const worker of workers) await worker.stop();
    workers = [];
    await app.close();
  });

  type Fakes = Partial<Pick<Images, 'build' | 'push' | 'remove' | 'platform'>>;
  const start = async (fakes: Fakes, labels: string[] = []) => {
    const folder = newFolder('builds');
    const said: string[] = [];
    const images = {
      platform: async () => platform,
      build: async () => built,
      push: async () => pushed,
      remove: async () => 'removed' as const,
      prune: async () => ({ freedBytes: 0, keptBytes: 0 }),
      ...fakes,
    } as unknown as Images;
    const worker = new BuildWorker({
      ...app.database,
      sealer,
      images,
      mode: 'self-hosted',
      worker: {
        id: `rep_${workers.length}`,
        name: `w${workers.length}`,
        platforms: [platform],
        labels,
        version: '1',
      },
      folder,
      atOnce: 1,
      cacheBytes: 0,
      say: (line) => said.push(line),
    });
    workers.push(worker);
    await worker.start();
    return { worker, said, folder };
  };

  type Asked = { fence: number; signal: AbortSignal; mode: 'cloud'; labels: string[]; nodes: string[] };
  /** Builds as a replica does. */
  const build = ({ fence = 0, signal = new AbortController().signal, ...more }: Partial<Asked> = {}) => {
    const context = newFolder('context');
    writeFileSync(join(context, 'file'), 'x');
    const owner = { instanceId: 'ins', organizationId: 'org', projectId: 'prj_1', deploymentId, service: 'app' };
    const target = {
      platforms: async () => [platform, ...(more.nodes ?? [])],
      build: () => Promise.reject(new Error('built on this machine')),
      take: async () => built,
    } as unknown as Images;
    const deployment = { id: deploymentId, fence };
    const asked = { mode: more.mode ?? ('self-hosted' as const), labels: more.labels ?? [], platforms: [] };
    const clock: string[] = [];
    const pause = () => {
      clock.push('stands');
      return () => void clock.push('runs');
    };
    const options = { ...app.database, sealer, registry, deployment, pause, ...asked };
    const request: BuildRequest = { owner, context, dockerfile: { text: 'FROM scratch' } };
    const lines: string[] = [];
    const run = { signal, deadlineMs: 60_000, onLine: (line: string) => void lines.push(line) };
    return { lines, clock, done: builtByWorkers(target, options).build(request, run) };
  };
  const rows = async () => [
    await app.database.db.selectFrom('builds').select('id').execute(),
    await app.database.db.selectFrom('build_chunks').select('number').execute(),
  ];

  it('starts again if the database was away, and does not fail', async () => {
    const failures = [databaseAway(), databaseAway(), databaseAway()];
    const { said, folder } = await start({
      build: async () => (failures.length ? Promise.reject(failures.pop()!) : built),
    });
    const { done, lines } = build();
    expect(await done).toEqual(built);
    expect(said).toContainEqual(expect.stringMatching(/^Gave .* back: Connection terminated/));
    expect(lines).toContainEqual('The worker gave the build back; another one starts again');
    expect(await rows()).toEqual([[], []]);
    await until('the worker has cleared away', () => readdirSync(folder).length === 0, 5000);
  }, 20_000);

  it('waits for a worker that is busy, which does not count for its time limit', async () => {
    const busy = { id: 'rep_busy', name: 'busy', platforms: [platform], labels: [], version: '1' };
    await reportWorker(app.database.db, app.database.kind, busy);
    const { done, lines, clock } = build();
    await until('it says so', () => lines.includes('Waiting for a build worker that is free: busy'), 10_000);
    expect(clock).toEqual(['stands']);
    await start({ build: async () => (clock.push('builds'), built) });
    expect(await done).toEqual(built);
    expect(clock.filter((word) => word !== 'builds')).toEqual(['stands', 'runs']);
  }, 20_000);

  it('that a replica has lost is not removed from the replica that has it now', async () => {
    let isFree = false;
    await start({
      async build(_, { signal }) {
        await until('it may end', () => isFree || signal.aborted, 10_000);
        signal.throwIfAborted();
        return built;
      },
    });
    const lost = new AbortController();
    const first = build({ signal: lost.signal });
    await until('it builds', () => first.lines.some((line) => line.startsWith('Building')), 10_000);
    await app.database.db.updateTable('deployments').set({ fence: 1 }).where('id', '=', deploymentId).execute();
    const second = build({ fence: 1 });
    await expect(first.done).rejects.toThrow('removed from the queue');
    isFree = true;
    expect(await second.done).toEqual(built);
    expect(await rows()).toEqual([[], []]);
  }, 20_000);

  it('goes to another worker if the engine of the first one is away', async () => {
    const away = new EngineAwayError(new Error('connect ENOENT'));
    let isAway = false;
    const first = await start({
      platform: () => (isAway ? Promise.reject(away) : Promise.resolve(platform)),
      build() {
        isAway = true;
        return Promise.reject(away);
      },
    });
    const { done, lines } = build();
    await until('it is given back', () => first.said.some((line) => line.startsWith('Gave')), 10_000);
    await start({});
    expect(await done).toEqual(built);
    expect(lines).toContainEqual(`Building ${platform} on the worker w1`);
    expect(first.said).toContainEqual('Waiting: Docker does not respond: connect ENOENT');
  }, 20_000);

  it('is not made for a platform of another node if its worker lacks the labels', async () => {
    await start({}, ['gpu']);
    const other = { id: 'rep_9', name: 'other', platforms: ['linux/arm64'], labels: [], version: '1' };
    await reportWorker(app.database.db, app.database.kind, other);
    const { done, lines } = build({ labels: ['gpu'], nodes: ['linux/arm64'] });
    expect(await done).toEqual(built);
    expect(lines).toContainEqual('Not built for linux/arm64: no connected worker builds it');
  }, 20_000);

  it('of a cloud is refused by a worker that does not confine builds', async () => {
    await start({});
    await expect(build({ mode: 'cloud' }).done).rejects.toThrow('the build worker w0 is not in cloud mode');
  }, 20_000);

  it('leaves no files behind if it is cancelled before it is queued', async () => {
    const idle = { id: 'rep_9', name: 'idle', platforms: [platform], labels: [], version: '1' };
    await reportWorker(app.database.db, app.database.kind, idle);
    const cancelled = new AbortController();
    const { done } = build({ signal: cancelled.signal });
    cancelled.abort(new BuildRefusedError('cancelled'));
    await expect(done).rejects.toThrow('cancelled');
    expect(await rows()).toEqual([[], []]);
  });
});
