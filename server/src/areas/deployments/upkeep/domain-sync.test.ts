import { convertOldApps } from '../engine/convert-old-apps.ts';
import { insertSteps, updateStep } from '../model/step-store.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import type { Edge } from '../../../drivers/edge/edge.ts';
import { createMemoryEdge } from '../../../drivers/edge/memory.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';
import { createLog } from '../../../lib/log.ts';
import { ReleaseNames } from '../../domains/release-names.ts';
import { repointServices } from './service-routes.ts';
import { createDomainSync } from './domain-sync.ts';
import { localMachineOnly } from '../model/machines.ts';
import { Folders, type Parts } from '../model/parts.ts';
import { RoundInstances } from './round-instances.ts';
import { emptyRecipe } from '../stack/read/stack-rig.ts';

/** Like the real edge, rejects a domain that another project has. */
function strictEdge(): Edge {
  const edge = createMemoryEdge();
  return {
    ...edge,
    async point(project) {
      const others = (await edge.list()).filter(({ key }) => key !== project.key);
      const taken = others.flatMap(({ routes }) => routes.map(({ host }) => host));
      const host = project.routes.map((route) => route.host).find((each) => taken.includes(each));
      if (host) throw new Error(`${host} belongs to somebody else`);
      await edge.point(project);
    },
  };
}

describe('domains of the active release', () => {
  let app: TestApp;
  let edge: Edge;
  let runtime: ReturnType<typeof createMemoryRuntime>;
  let follow: ReturnType<typeof createDomainSync>;
  let round: () => Promise<void>;
  let later: number;
  beforeEach(async () => {
    app = await startApp();
    [edge, runtime, later] = [strictEdge(), createMemoryRuntime(), 0];
    const { db } = app.database;
    const names = new ReleaseNames(db);
    const known = {
      server: null,
      runtime,
      edge,
      names,
      baseDomain: 'localhost',
      folders: new Folders(newFolder('data')),
    };
    const parts = known as unknown as Parts;
    const on = {
      db,
      parts,
      machines: localMachineOnly(parts),
      sealer: app.instance.sealer,
      log: createLog('silent', 'json'),
      owner: 'test',
    };
    follow = createDomainSync(on, () => later++);
    round = () => repointServices({ ...on, around: new RoundInstances(runtime) });
  });
  afterEach(() => app.close());

  it('do not block the request while the machine is away', async () => {
    const { project } = await newRelease();
    const list = edge.list.bind(edge);
    let answer = () => {};
    edge.list = () => new Promise((resolve) => (answer = () => resolve(list())));
    const began = Date.now();
    const first = follow({ projectId: project, environment: 'production' });
    await first;
    expect(Date.now() - began).toBeLessThan(4000);
    edge.list = list;
    answer();
    await follow({ projectId: project, environment: 'production' });
    expect(later).toBe(0);
  });

  const { newProject, newDeployment } = thingsOf(() => app);
  const change = (method: 'POST' | 'PATCH' | 'DELETE', project: string, name: string, body: object = {}) => {
    const at = `/api/projects/${project}/domains${method === 'POST' ? '' : `/${name}`}`;
    return app.call(method, at, { token: ownerToken, body: method === 'POST' ? { name, ...body } : body });
  };
  async function newRelease(): Promise<{ project: string; id: string }> {
    const project = await newProject();
    const id = await newDeployment(project);
    const active = { status: 'ready' as const, active: 1, fence: 1 };
    const { db } = app.database;
    await db.updateTable('deployments').set(active).where('id', '=', id).execute();
    await insertSteps(db, id, ['detect']);
    const recipe = { ...emptyRecipe, framework: null, startCommand: 'node server.js' };
    await updateStep(db, id, 'detect', { status: 'done', result: JSON.stringify(recipe) });
    await convertOldApps({ db, sealer: app.instance.sealer, log: createLog('silent', 'json') });
    const owner = {
      instanceId: '',
      organizationId: '',
      projectId: project,
      deploymentId: id,
      service: 'app',
      fence: 1,
    };
    await runtime.start({ kind: 'folder', owner, folder: '', command: '', env: {}, secretKeys: [], user: null });
    return { project, id };
  }
  const placesOf = async (project: string) => {
    const pointed = (await edge.list()).find(({ key }) => key === `${project}/production`);
    const places = (pointed?.routes ?? []).map(
      ({ host, path, target }) => host + path + ('to' in target ? target.to : ''),
    );
    return places.filter((place) => !place.includes('.localhost'));
  };
  const followed = (projectId: string) => follow({ projectId, environment: 'production' });

  it('are corrected by upkeep when a change was missed', async () => {
    const { project, id } = await newRelease();
    await change('POST', project, 'a.example.com');
    await change('POST', project, 'b.example.com', { redirectTo: 'https://one.example.com' });
    await round();
    expect(await placesOf(project)).toEqual(['a.example.com/', 'b.example.com/https://one.example.com']);
    await change('PATCH', project, 'a.example.com', { path: '/docs' });
    await change('PATCH', project, 'b.example.com', { redirectTo: 'https://two.example.com' });
    await round();
    expect(await placesOf(project)).toEqual(['a.example.com/docs', 'b.example.com/https://two.example.com']);
    const row = await app.database.db.selectFrom('deployments').select('urls').where('id', '=', id).executeTakeFirst();
    expect(row?.urls).toContain('http://a.example.com/docs');
    const [{ fence } = { fence: 0 }] = await edge.list();
    await round();
    expect((await edge.list())[0]?.fence, 'what is right is left alone').toBe(fence);
  });

  it('move to a project that is processed earlier, without delaying others', async () => {
    const [heir, before, bystander] = [await newRelease(), await newRelease(), await newRelease()];
    await change('POST', before.project, 'a.example.com');
    await round();
    await change('DELETE', before.project, 'a.example.com');
    await change('POST', heir.project, 'a.example.com');
    await change('POST', bystander.project, 'c.example.com');
    await expect(round()).rejects.toThrow('belongs to somebody else');
    expect([await placesOf(before.project), await placesOf(bystander.project)]).toEqual([[], ['c.example.com/']]);
    await round();
    expect(await placesOf(heir.project)).toEqual(['a.example.com/']);
  });

  it('are released by a release that does not run', async () => {
    const { project, id } = await newRelease();
    await change('POST', project, 'a.example.com');
    await round();
    await runtime.remove(id);
    await change('DELETE', project, 'a.example.com');
    await followed(project);
    expect(await placesOf(project)).toEqual([]);
  });

  it('are applied later when the edge rejects them', async () => {
    const [one, other] = [await newRelease(), await newRelease()];
    await change('POST', one.project, 'a.example.com');
    await round();
    await change('DELETE', one.project, 'a.example.com');
    await change('POST', other.project, 'a.example.com');
    await followed(other.project);
    expect(later).toBe(1);
    await followed(one.project);
    await followed(other.project);
    expect([await placesOf(other.project), later]).toEqual([['a.example.com/'], 1]);
  });

  it('are current after concurrent changes', async () => {
    const { project } = await newRelease();
    await round();
    const names = Array.from({ length: 12 }, (_, i) => `n${i + 10}.example.com`);
    await Promise.all(names.map((name) => change('POST', project, name).then(() => followed(project))));
    expect((await placesOf(project)).toSorted()).toEqual(names.map((name) => `${name}/`));
  });
});
