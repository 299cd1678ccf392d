import { createLog } from '../../../lib/log.ts';
import { convertOldApps } from '../engine/convert-old-apps.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { foreignOrganization } from '../../../../test/rig/people.ts';
import { organizationLimitsOf, readConfig } from '../../../config.ts';
import { AppError } from '../../../errors.ts';
import { StepError } from '../model/model.ts';
import { claimNextDeployment } from '../model/queue.ts';
import type { StepContext } from '../model/step.ts';
import type { DeploymentRow } from '../model/store.ts';
import { inTransaction } from '../../../db/database.ts';
import type { Sealer } from '../../../lib/seal.ts';
import type { Parts } from '../model/parts.ts';
import { newServiceState, stackSealLocation } from '../model/stack.ts';
import { insertSteps, updateStep } from '../model/step-store.ts';
import { limitsUnder, ceilingOf } from './container.ts';
import { requireRoomToKeep } from './room-to-keep.ts';
import { roomOf } from './reserve.ts';
import { reserveRoom } from './room.ts';
import { reserveUncounted } from '../upkeep/reserve-uncounted.ts';
import { emptyRecipe } from '../stack/read/stack-rig.ts';

const megabyte = 1_048_576;
const cloud = { MOORING_MODE: 'cloud', MOORING_CLOUD_PROJECTS: '8', MOORING_CLOUD_BUILDS_AT_ONCE: '2' };
const limits = organizationLimitsOf(
  readConfig({ ...cloud, MOORING_CLOUD_MEMORY_MB: '1000', MOORING_CLOUD_CPUS: '4' }),
)!;

describe('cloud containers', () => {
  const parts = { limits, server: null };
  const of = (memoryBytes: number | null, cpus: number | null) => limitsUnder(ceilingOf(parts, { memoryBytes, cpus }));

  it('are limited, whatever the project or the file says', () => {
    expect(of(null, null)).toEqual({ memoryBytes: 512 * megabyte, cpus: 1 });
    expect(of(64 * megabyte, 0.5)).toEqual({ memoryBytes: 64 * megabyte, cpus: 0.5 });
    expect(of(64_000 * megabyte, 64)).toEqual({ memoryBytes: 4096 * megabyte, cpus: 2 });
    // Engines treat so small a value as no limit.
    expect(of(null, 1e-12).cpus).toBe(0.01);
    const file = { memoryBytes: 3000 * megabyte, cpus: 3 };
    expect(limitsUnder(ceilingOf(parts, { memoryBytes: null, cpus: null }), file)).toEqual({ ...file, cpus: 2 });
    expect(limitsUnder(ceilingOf(parts, { memoryBytes: megabyte, cpus: 1 }), file).memoryBytes).toBe(megabyte);
  });

  it('have a minimum share of the organization limit', () => {
    expect(roomOf({ memoryBytes: 6 * megabyte, cpus: 0.01 })).toEqual({ memoryBytes: 64 * megabyte, cpus: 0.01 });
    expect(roomOf({ memoryBytes: 65 * megabyte, cpus: null })).toEqual({ memoryBytes: 65 * megabyte, cpus: 0 });
    expect(roomOf({ memoryBytes: null, cpus: 1 }).memoryBytes).toBe(0);
  });

  it('are not limited on a server of their owner, or outside cloud mode', () => {
    const nothing = { memoryBytes: null, cpus: null };
    const server = { id: 'srv', name: 'theirs' };
    expect(limitsUnder(ceilingOf({ limits, server }, nothing))).toEqual(nothing);
    expect(organizationLimitsOf(readConfig({}))).toBeUndefined();
  });

  it('require a container limit where the organization has a limit', () => {
    const none = { MOORING_CLOUD_CONTAINER_MEMORY_MB: '0', MOORING_CLOUD_MOST_CONTAINER_MEMORY_MB: '0' };
    expect(() => readConfig(none)).toThrow('MOORING_CLOUD_MEMORY_MB');
    expect(organizationLimitsOf(readConfig({ ...cloud, ...none, MOORING_CLOUD_MEMORY_MB: '0' }))).toMatchObject({
      memoryBytes: null,
      container: { memoryBytes: { usual: null, most: null } },
    });
    expect(() => readConfig({ MOORING_CLOUD_CONTAINER_CPUS: '3' })).toThrow('MOORING_CLOUD_CONTAINER_CPUS');
  });
});

describe.each(databaseKinds)('cloud organizations on %s', (kind) => {
  let replicas: [TestApp, TestApp];
  let tokens: [string, string];
  beforeAll(async () => {
    const memory = memoryDrivers();
    const drivers = { ...memory, runtime: Object.assign(memory.runtime, { kind: 'docker' }) };
    const first = await startApp(kind, { env: cloud, drivers });
    replicas = [first, await startApp(kind, { env: cloud, replica: { of: first, name: 'second' } })];
    tokens = [ownerToken, (await foreignOrganization(first)).token];
  });
  afterAll(() => Promise.all(replicas.map((each) => each.close())));
  beforeEach(async () => {
    for (const table of ['deployments', 'projects'] as const) await replicas[0].database.db.deleteFrom(table).execute();
  });

  const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
  const create = (name: string, token: string, n = 0) =>
    replicas[n]!.call('POST', '/api/projects', { token, body: { name, source } });
  const row = (id: string) =>
    replicas[0].database.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const set = (id: string, change: Partial<DeploymentRow>) =>
    replicas[0].database.db.updateTable('deployments').set(change).where('id', '=', id).execute();

  /** Queues this many deployments, each in its own project. */
  async function queue(count: number, token: string, name = 'p'): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i++) {
      const { data } = (await create(`${name}${i}`, token)).body as unknown as { data: { id: string } };
      const body = { projectId: data.id };
      const made = await replicas[0].call('POST', '/api/deployments', { token, body });
      ids.push((made.body as unknown as { data: { id: string } }).data.id);
    }
    return ids;
  }

  it('cannot exceed the project limit with concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, (_, i) => create(`p${i}`, tokens[0], i % 2)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(8);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body['code']])).toEqual(
      refused.map(() => [403, 'limit_reached']),
    );
    expect(refused[0]!.body['error']).toBe('Your organization has reached its limit of 8 projects. Delete one first.');
    expect((await create('theirs', tokens[1])).status, 'others are not concerned').toBe(201);
    const ensured = await replicas[0].call('POST', '/api/projects/ensure', {
      token: tokens[0],
      body: { name: 'p99', source },
    });
    expect(ensured.body['code']).toBe('limit_reached');
  });

  it('cannot fill the shared queue', async () => {
    const { data } = (await create('flood', tokens[0])).body as unknown as { data: { id: string } };
    const body = { projectId: data.id, autoStart: false };
    const statuses: number[] = [];
    for (let i = 0; i < 27; i++)
      statuses.push((await replicas[0].call('POST', '/api/deployments', { token: tokens[0], body })).status);
    expect(statuses).toEqual([...Array.from({ length: 25 }, () => 202), 429, 429]);
  });

  it('build up to the concurrency limit across all replicas, in turns', async () => {
    const [mine, theirs] = [await queue(6, tokens[0]), await queue(1, tokens[1])];
    const claimed: DeploymentRow[] = [];
    const worker = async (n: number) => {
      const { db } = replicas[n % 2]!.database;
      const held = claimed.map(({ id }) => id);
      const next = await claimNextDeployment(db, kind, `worker-${n}`, held, true, 2);
      if (next) claimed.push(next);
    };
    for (let n = 0; n < 2; n++) await worker(n);
    // Six deployments were queued before it, but its organization has its turn.
    expect(claimed.map(({ id }) => id).toSorted()).toEqual([mine[0]!, theirs[0]!].toSorted());
    await Promise.all(Array.from({ length: 12 }, (_, n) => worker(n)));
    expect(claimed.map(({ id }) => id).toSorted()).toEqual([mine[0]!, mine[1]!, theirs[0]!].toSorted());
    await set(mine[0]!, { status: 'deploying' });
    await worker(0);
    expect(claimed).toHaveLength(4);
  });

  const reserve = async (id: string, memoryMb: number, cpus = 0.5, n = 0) =>
    reserveRoom(
      { parts: { limits, server: null }, db: replicas[n]!.database.db, deployment: await row(id) } as StepContext,
      { memoryBytes: memoryMb * megabyte, cpus },
    );
  const refusal = (error: unknown) => (error instanceof StepError ? error.code : error);

  it('cannot reserve the same memory twice with concurrent deployments', async () => {
    const ids = await queue(8, tokens[0]);
    for (const id of ids) await set(id, { status: 'deploying', fence: 1 });
    const ends = await Promise.allSettled(ids.map((id, i) => reserve(id, 300, 0.5, i % 2)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const failed = ends.flatMap((end) => (end.status === 'rejected' ? [refusal(end.reason)] : []));
    expect(failed).toEqual(Array.from({ length: 5 }, () => 'limit_reached'));
    const shown = await replicas[1].call('GET', '/api/organizations/current/limits', { token: tokens[0] });
    expect(shown.body['data']).toMatchObject({
      projects: { used: 8, limit: 8 },
      memoryMb: { used: 900, limit: 8192 },
      cpus: { used: 1.5, limit: 8 },
    });
    const others = await replicas[1].call('GET', '/api/organizations/current/limits', { token: tokens[1] });
    expect(others.body['data']).toMatchObject({ projects: { used: 0 }, memoryMb: { used: 0 }, cpus: { used: 0 } });
  });

  it('keep the reservation of the active release, and a release no larger always fits', async () => {
    const [first, other] = await queue(2, tokens[0]);
    await set(first!, { status: 'deploying', fence: 1 });
    await reserve(first!, 800);
    await set(first!, { status: 'ready', active: 1 });
    const { id: _, ...like } = await row(first!);
    const second = { ...like, id: 'dep_second', active: 0, reservedMemory: 0, reservedCpu: 0 };
    await replicas[0].database.db
      .insertInto('deployments')
      .values({ ...second, status: 'deploying' })
      .execute();
    await reserve('dep_second', 100);
    await set(other!, { status: 'deploying', fence: 1 });
    // If the smaller release fails, the larger one keeps serving.
    await expect(reserve(other!, 300)).rejects.toMatchObject({ code: 'limit_reached', hint: expect.any(String) });
    await expect(reserve(other!, 200, 9)).rejects.toMatchObject({ message: expect.stringContaining('9 processors') });
    await reserve(other!, 200);
    await expect(reserve('dep_second', 801)).rejects.toMatchObject({ code: 'limit_reached' });
    await set(other!, { reservedMemory: 5000 * megabyte });
    await reserve('dep_second', 800);
    await set('dep_second', { status: 'failed' });
    expect((await row('dep_second')).reservedMemory).toBe(800 * megabyte);
  });

  it('are charged for deployments that run since before limits existed', async () => {
    const [app, site, half, elsewhere] = await queue(4, tokens[0]);
    const { database, instance } = replicas[0];
    const parts = { limits, server: null, mode: 'cloud' } as unknown as Parts;
    const running = { status: 'ready' as const, active: 1, fence: 1 };
    for (const id of [app!, site!]) await set(id, running);
    await set(half!, { ...running, active: 0, status: 'partial_failure', ...stackOf(half!, instance.sealer) });
    await set(elsewhere!, { ...running, serverId: 'srv_of_theirs' });
    for (const [id, outputDirectory] of [
      [app!, null],
      [site!, 'public'],
    ] as const) {
      const recipe = { ...emptyRecipe, framework: null, outputDirectory };
      await insertSteps(database.db, id, ['detect', 'build']);
      await updateStep(database.db, id, 'detect', { status: 'done', result: JSON.stringify(recipe) });
      await updateStep(database.db, id, 'build', { status: 'done', result: '{"kind":"folder","bytes":1}' });
    }
    await convertOldApps({ db: database.db, sealer: instance.sealer, log: createLog('silent', 'json') });
    for (let again = 0; again < 2; again++) await reserveUncounted({ db: database.db, sealer: instance.sealer, parts });
    const counted = async (id: string) => {
      const { reservedMemory, reservedCpu } = await row(id);
      return [reservedMemory / megabyte, reservedCpu];
    };
    expect(await counted(app!), 'as much as a container gets').toEqual([512, 1000]);
    expect(await counted(site!), 'what needs no process').toEqual([0, 0]);
    expect(await counted(half!), 'what of it runs').toEqual([256, 500]);
    expect(await counted(elsewhere!)).toEqual([0, 0]);
    const next = (await queue(1, tokens[0], 'n'))[0]!;
    await set(next, { status: 'deploying', fence: 1 });
    await expect(reserve(next, 300)).rejects.toMatchObject({ code: 'limit_reached' });
    await reserve(next, 1000 - 512 - 256);
  });

  /** `web` runs, `db` never ran. */
  function stackOf(id: string, sealer: Sealer): Partial<DeploymentRow> {
    const service = (name: string) => ({ name, limits: { memoryBytes: 256 * megabyte, cpus: 0.5, pids: null } });
    const project = { name: 'p', services: [service('web'), service('db')], volumes: [], networks: [] };
    const stack = { project, digests: {}, contents: {}, secrets: [] };
    const states = [
      { ...newServiceState('web'), status: 'ready', change: 'create', runsOf: id },
      { ...newServiceState('db'), status: 'failed', change: 'create', runsOf: null },
    ];
    return { stack: sealer.seal(JSON.stringify(stack), stackSealLocation(id)), services: JSON.stringify(states) };
  }

  it('cannot accumulate partially failed deployments', async () => {
    const [id] = await queue(1, tokens[0]);
    const keep = async (memoryMb: number) =>
      inTransaction(replicas[0].database.db, async (trx) =>
        requireRoomToKeep(trx, await row2(trx, id!), limits, { memoryBytes: memoryMb * megabyte, cpus: 1 }),
      );
    const row2 = (trx: Parameters<typeof requireRoomToKeep>[0], of: string) =>
      trx.selectFrom('deployments').selectAll().where('id', '=', of).executeTakeFirstOrThrow();
    await keep(1000);
    await expect(keep(1001)).rejects.toBeInstanceOf(AppError);
  });
});
