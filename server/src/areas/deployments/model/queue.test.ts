import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { newGate } from '../../../../test/rig/gate.ts';
import { addServer } from '../../../../test/rig/project-on-server.ts';
import { foreignOrganization } from '../../../../test/rig/people.ts';
import { until } from '../../../../test/rig/until.ts';
import { inTransaction } from '../../../db/database.ts';
import type { Caller } from '../../../http/caller.ts';
import type { Domains } from '../../domains/domains/service.ts';
import type { Servers } from '../../servers/servers/service.ts';
import type { ProjectsArea } from '../../projects/area.ts';
import { newDeploymentConfig, createDeployment } from '../requests/create.ts';
import { projectsPort } from '../requests/projects-adapter.ts';
import { gateDeployments, ServiceHolds } from '../upkeep/holds.ts';
import { claimNextDeployment } from './queue.ts';
import { newServiceState } from './stack.ts';
import type { DeploymentRow } from './store.ts';

const gitSource = { type: 'git', url: 'https://git.example/app.git' };

describe.each(databaseKinds)('queue of two replicas on %s', (kind) => {
  let replicas: [TestApp, TestApp];
  beforeEach(async () => {
    const first = await startApp(kind);
    replicas = [first, await startApp(kind, { replica: { of: first, name: 'second' } })];
  });
  afterEach(() => Promise.all(replicas.map((each) => each.close())));

  const startBoth = () => Promise.all(replicas.map((each) => each.deployments.start()));
  const post = (app: TestApp, path: string, body: object) => app.call('POST', path, { token: ownerToken, body });

  async function newProject(name: string, fields: object = {}): Promise<string> {
    const path = newFolder('site');
    writeFileSync(join(path, 'index.html'), '<p>hello</p>');
    const made = await post(replicas[0], '/api/projects', { name, source: { type: 'local', path }, ...fields });
    return (made.body as unknown as { data: { id: string } }).data.id;
  }

  async function queue(app: TestApp, projectId: string, environment = 'production'): Promise<string> {
    const { body } = await post(app, '/api/deployments/build/access', { projectId, environment });
    return (body as unknown as { deployment_id: string }).deployment_id;
  }

  const rows = () => replicas[0].database.db.selectFrom('deployments').selectAll().orderBy('id').execute();
  const allEnded = () =>
    until('all have ended', async () =>
      (await rows()).every(({ finishedAt, leaseOwner }) => finishedAt !== null && leaseOwner === null),
    );

  it('makes deployments wait for a restore, and a restore for a deployment', async () => {
    const [app, second] = replicas;
    const { db } = app.database;
    const projectId = await newProject('shop');
    const claim = (by: TestApp, ...held: string[]) => claimNextDeployment(by.database.db, kind, 'any', held);
    const first = await queue(app, projectId);
    expect((await claim(app))?.id).toBe(first);
    const row = await db.selectFrom('deployments').selectAll().where('id', '=', first).executeTakeFirstOrThrow();
    expect(await gateDeployments({ db, kind }, row, 'job_1'), 'while it builds').toBe(false);
    const ready = { status: 'ready', active: 1, leaseOwner: null, finishedAt: 1 } as const;
    await db.updateTable('deployments').set(ready).where('id', '=', first).execute();
    const next = await queue(app, projectId);
    for (let times = 0; times < 2; times++) expect(await gateDeployments({ db, kind }, row, 'job_1')).toBe(true);
    expect(await claim(second)).toBeUndefined();
    const elsewhere = await queue(app, projectId, 'staging');
    expect((await claim(second))?.id).toBe(elsewhere);
    const holds = new ServiceHolds({
      db,
      sealer: app.instance.sealer,
      machines: { of: () => Promise.reject(new Error()) },
    });
    await holds.recover('job_2');
    expect(await claim(second, elsewhere)).toBeUndefined();
    await holds.recover('job_1');
    expect((await claim(second, elsewhere))?.id).toBe(next);
  });

  it('runs explicit deployments in order, one at a time for each project and environment', async () => {
    const projects = [await newProject('one', { buildCommand: 'sleep 0.02' }), await newProject('two')];
    for (let i = 0; i < 5; i++)
      for (const projectId of projects)
        for (const environment of ['production', 'preview']) await queue(replicas[i % 2]!, projectId, environment);
    await startBoth();
    await allEnded();
    const all = await rows();
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 'ready'));
    for (const lane of Object.values(Object.groupBy(all, (row) => row.projectId + row.environment)))
      for (const [i, row] of lane!.entries())
        expect(row.startedAt! >= (lane![i - 1]?.finishedAt ?? 0), 'begun when the one before had ended').toBe(true);
    expect(all.filter(({ active }) => active)).toHaveLength(4);
  });

  it('lets organizations take turns, so that none waits for all builds of another', async () => {
    const [app] = replicas;
    const many = [];
    for (let i = 0; i < 4; i++) many.push(await queue(app, await newProject(`busy${i}`)));
    const { token } = await foreignOrganization(app);
    const made = await app.call('POST', '/api/projects', { token, body: { name: 'n', source: gitSource } });
    const projectId = (made.body as unknown as { data: { id: string } }).data.id;
    const asked = await app.call('POST', '/api/deployments/build/access', { token, body: { projectId } });
    const neighbour = (asked.body as unknown as { deployment_id: string }).deployment_id;
    const claimed: string[] = [];
    for (let i = 0; i < 5; i++) claimed.push((await claimNextDeployment(app.database.db, kind, 'worker', claimed))!.id);
    expect(claimed).toEqual([many[0], neighbour, many[1], many[2], many[3]]);
  });

  it('claims only the oldest deployment of each project, however many workers compete', async () => {
    const projects = await Promise.all(Array.from({ length: 6 }, (_, i) => newProject(`p${i}`)));
    for (const projectId of projects) for (let i = 0; i < 3; i++) await queue(replicas[i % 2]!, projectId);
    const claimed: DeploymentRow[] = [];
    const worker = async (n: number) => {
      for (let i = 0; i < 4; i++) {
        const row = await claimNextDeployment(
          replicas[n % 2]!.database.db,
          kind,
          `worker-${n}`,
          claimed.map(({ id }) => id),
        );
        if (row) claimed.push(row);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, n) => worker(n)));
    const oldest = new Map((await rows()).toReversed().map((row) => [row.projectId, row.id]));
    expect(claimed.map(({ id }) => id).toSorted()).toEqual([...oldest.values()].toSorted());
  });

  /** Creates a deployment the way a push webhook does. */
  async function push(app: TestApp, projectId: string, message: string): Promise<string> {
    const { db } = app.database;
    const caller = (await app.access.authenticator.byToken(ownerToken, '')) as Caller;
    // Variables and uploads are not used.
    const names = {
      domains: { ensure: async () => {} } as unknown as Domains,
      baseDomain: 'localhost',
      instanceLabel: undefined,
      onMove: async () => {},
    };
    const projects = projectsPort(db, {} as ProjectsArea, names, {} as Servers, app.instance.sealer);
    const project = await projects.find(caller, projectId, 'write');
    const row = await inTransaction(db, async (trx) => {
      await projects.prepareRelease(trx, project, {
        environment: 'production',
        endpoints: [],
        actor: caller,
        asked: 'settings',
        mayAddDomains: false,
        serverId: null,
      });
      return createDeployment(trx, app.instance.sealer, caller, {
        project,
        environment: 'production',
        trigger: 'push',
        source: { type: 'local', path: project.source.path! },
        config: newDeploymentConfig(project, [], { envVars: {}, port: null }),
        machine: null,
        serverId: null,
        commit: { sha: null, message },
      });
    });
    return row.id;
  }

  it('hands an app on a server to another replica when its worker is gone, but not a stack from a folder', async () => {
    const [{ database }] = replicas;
    const [app, stack] = [
      await queue(replicas[0], await newProject('app')),
      await queue(replicas[0], await newProject('stack')),
    ];
    const serverId = await addServer(replicas[0], 'elsewhere', { port: 80, tlsPort: 443 });
    const left = { status: 'deploying' as const, leaseOwner: 'gone', leaseUntil: 1, machine: 'gone', serverId };
    const known = { stack: 'sealed', artifactKept: 1 };
    const change = (id: string, services: object[]) =>
      database.db
        .updateTable('deployments')
        .set({ ...left, ...known, services: JSON.stringify(services) })
        .where('id', '=', id)
        .execute();
    await change(app, [{ ...newServiceState('app'), isApp: true }]);
    await change(stack, [newServiceState('web')]);
    expect((await claimNextDeployment(database.db, kind, 'other', []))?.id).toBe(app);
    expect(await claimNextDeployment(database.db, kind, 'other', [app])).toBeUndefined();
  });

  it('cancels superseded pushes with an event, and leaves explicit deployments alone', async () => {
    const gate = newGate();
    const projectId = await newProject('pushed', { buildCommand: gate.wait });
    await startBoth();
    const running = await push(replicas[0], projectId, 'first');
    await until('it builds', async () => (await rows()).some(({ status }) => status === 'building'));
    const before = await queue(replicas[1], projectId);
    const pushes = await Promise.all(Array.from({ length: 12 }, (_, i) => push(replicas[i % 2]!, projectId, `${i}`)));
    const after = await queue(replicas[0], projectId);
    gate.open();
    await allEnded();
    const ended = new Map((await rows()).map((row) => [row.id, row]));
    const newest = pushes.toSorted().at(-1)!;
    for (const id of [running, before, newest, after]) expect(ended.get(id)!.status).toBe('ready');
    const replaced = pushes.filter((id) => id !== newest).map((id) => ended.get(id)!);
    for (const { status, error } of replaced)
      expect([status, JSON.parse(error!)]).toEqual(['cancelled', expect.objectContaining({ code: 'superseded' })]);
    expect(ended.size).toBe(15);
    expect(ended.get(after)!.active).toBe(1);
    expect(existsSync(join(replicas[0].instance.folder, 'releases', replaced[0]!.id))).toBe(false);
    for (const { id } of replaced) {
      const events = await replicas[0].database.db
        .selectFrom('deployment_events')
        .select('type')
        .where('deploymentId', '=', id)
        .orderBy('seq')
        .execute();
      expect(events.map(({ type }) => type)).toEqual(['status', 'status', 'end']);
    }
  });
});
