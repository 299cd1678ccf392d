import { appOptions } from '../../../drivers/runtime/app-options.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import { noDomains } from '../../domains/release-names-rig.ts';
import { EngineAwayError } from '../../../drivers/runtime/errors.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import type { Runtime } from '../../../drivers/runtime/runtime.ts';
import { severalRuntimes } from '../../../drivers/runtime/several-runtimes.ts';
import { createLog } from '../../../lib/log.ts';
import { localMachineOnly } from '../model/machines.ts';
import { Folders, type Parts } from '../model/parts.ts';
import { Restarts } from './restart.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { Upkeep } from './upkeep.ts';

const hangsMs = 100;

/** Containers of an engine that can be made to hang, with a record of the calls. */
function hangingRuntime() {
  const state = { hangs: false, asked: [] as string[] };
  const memory = createMemoryRuntime();
  const guarded = async <T>(what: string, task: () => Promise<T>): Promise<T> => {
    state.asked.push(what);
    if (!state.hangs) return task();
    await sleep(hangsMs);
    throw new EngineAwayError(new Error('no answer'));
  };
  const runtime: Runtime = {
    ...memory,
    find: (id) => guarded('find', () => memory.find(id)),
    list: (kind) => guarded('list', () => memory.list(kind)),
    start: (spec) => guarded('start', () => memory.start(spec)),
    stop: (id, graceMs) => guarded('stop', () => memory.stop(id, graceMs)),
    remove: (id) => guarded('remove', () => memory.remove(id)),
  };
  return { state, runtime };
}

describe('round of upkeep', () => {
  let app: TestApp;
  let engine: ReturnType<typeof hangingRuntime>;
  let processes: Runtime;
  let round: () => Promise<Upkeep>;
  beforeEach(async () => {
    app = await startApp();
    engine = hangingRuntime();
    processes = createMemoryRuntime();
    const images = {
      list: () => engine.runtime.list().then(() => []),
      nameless: () => engine.runtime.list().then(() => []),
    };
    const parts: Partial<Parts> = {
      server: null,
      runtime: severalRuntimes({ folder: processes, image: engine.runtime }),
      containers: { images } as unknown as NonNullable<Parts['containers']>,
      edge: createMemoryEdge(),
      names: noDomains,
      folders: new Folders(newFolder('data')),
    };
    const { sealer } = app.instance;
    round = async () => {
      const log = createLog('silent', 'json');
      const deps = {
        db: app.database.db,
        parts: parts as Parts,
        machines: localMachineOnly(parts as Parts),
        sealer,
        log,
      };
      const upkeep = new Upkeep({
        ...deps,
        owner: 'test',
        restarts: new Restarts({ ...deps, tasks: new BackgroundTasks({ ...deps, owner: 'test' }) }),
        rebuild: async () => false,
      });
      await upkeep.start();
      await upkeep.stop();
      return upkeep;
    };
  });
  afterEach(() => app.close());

  const { newProject, newDeployment } = thingsOf(() => app);

  const ownerOf = (deploymentId: string) => {
    return { instanceId: '', organizationId: '', projectId: '', deploymentId, service: 'app', fence: 1 };
  };
  const nothing = { env: {}, secretKeys: [] };

  async function startProcess(deploymentId: string): Promise<void> {
    const owner = ownerOf(deploymentId);
    await processes.start({ kind: 'folder', owner, folder: '', command: '', user: null, ...nothing });
  }

  async function startContainer(): Promise<void> {
    const id = await newDeployment(await newProject());
    const change = { status: 'ready', active: 1, image: 'an-image' } as const;
    await app.database.db.updateTable('deployments').set(change).where('id', '=', id).execute();
    const image = { image: 'an-image', imageId: 'sha256:1', listensOn: 1 };
    await engine.runtime.start({ kind: 'image', owner: ownerOf(id), service: appOptions('x'), ...image, ...nothing });
  }

  it('asks a hanging engine once, however many containers there are, and maintains everything else', async () => {
    for (let i = 0; i < 8; i++) await startContainer();
    await startProcess('dep_of_nobody');
    Object.assign(engine.state, { hangs: true, asked: [] });
    const began = Date.now();
    await round();
    // The leftover may exist in either runtime.
    expect(engine.state.asked).toEqual(['list', 'remove']);
    expect(Date.now() - began).toBeLessThan(hangsMs * 8);
    expect(await processes.find('dep_of_nobody'), 'what no deployment wants is gone').toBeUndefined();
    expect(await engine.runtime.list().catch(() => 'away')).toBe('away');
    engine.state.hangs = false;
    await round();
    expect(await engine.runtime.list()).toHaveLength(8);
  });

  it('does not follow a stop', async () => {
    const upkeep = await round();
    await startProcess('dep_of_nobody');
    upkeep.soon();
    await upkeep.stop();
    expect(await processes.find('dep_of_nobody'), 'the next holder of the lease decides').toBeDefined();
    await round();
    expect(await processes.find('dep_of_nobody')).toBeUndefined();
  });
});
