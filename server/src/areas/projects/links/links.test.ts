import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { type GitHostApp, startGitHostApp } from '../../../../test/rig/githost-app.ts';
import { announcedRepository } from '../../../../test/rig/githost-pushes.ts';
import { selectDueLinks } from './store.ts';
import { foreignOrganization, join, newToken, signInOwner } from '../../../../test/rig/people.ts';

const owner = { token: ownerToken };
const dataOf = <T>(answer: Answer): Readonly<T> => (answer.body as unknown as { data: T }).data;
type Project = { id: string; source: object };
type Link = { owner: string; repo: string; branch: string | null; seenCommit: string | null; repositoryId: number };

describe.each(databaseKinds)('repository links on %s', { timeout: 30_000 }, (kind) => {
  let rig: GitHostApp;
  let head: string;
  let made = 0;
  beforeAll(async () => {
    rig = await startGitHostApp(kind);
    head = rig.host.git.push('team/shop', folderOf({ 'index.html': 'x' }), 'one');
  });
  afterAll(() => rig?.close());

  const call = (method: string, path: string, body?: object, who: object = owner) =>
    rig.app.call(method, path, { ...who, ...(body && { body }) });
  const newProject = async (fields: object = {}, who: object = owner) =>
    dataOf<Project>(await call('POST', '/api/projects', { name: `project ${++made}`, ...fields }, who)).id;
  const linkOf = async (id: string) => dataOf<Link>(await call('GET', `/api/projects/${id}/link`));
  const shop = { owner: 'team', repo: 'shop' };
  const source = { type: 'githost', ...shop };

  it('are created and removed with the source', async () => {
    const { id: repositoryId } = await announcedRepository(rig.host, 'team/shop');
    const expected = { ...shop, repositoryId, branch: 'main', seenCommit: head };
    const linked = await newProject();
    const answer = await call('POST', `/api/projects/${linked}/link`, shop);
    expect([answer.status, dataOf(answer)]).toEqual([200, expect.objectContaining(expected)]);
    expect(dataOf<Project>(await call('GET', `/api/projects/${linked}`)).source).toEqual(source);
    const created = await newProject({ source });
    const changed = await newProject();
    await call('PATCH', `/api/projects/${changed}`, { source });
    for (const id of [created, changed]) expect(await linkOf(id)).toMatchObject(expected);
    await call('PATCH', `/api/projects/${changed}`, { source: { ...source, branch: 'later' } });
    expect(await linkOf(changed)).toMatchObject({ branch: 'later', seenCommit: null });
    await call('PATCH', `/api/projects/${changed}`, { source: { type: 'upload' } });
    expect((await call('GET', `/api/projects/${changed}/link`)).status).toBe(404);
    expect((await call('DELETE', `/api/projects/${linked}/link`)).status).toBe(200);
    expect(dataOf<Project>(await call('GET', `/api/projects/${linked}`)).source).toEqual({ type: 'upload' });
    expect((await call('DELETE', `/api/projects/${linked}/link`)).status).toBe(404);
    await call('DELETE', `/api/projects/${created}`);
    const rows = await rig.app.database.db.selectFrom('project_links').select('projectId').execute();
    expect(rows).toEqual([]);
  });

  it('tolerate an unreachable or unconnected git host, and reject unknown repositories', async () => {
    const stranger = await foreignOrganization(rig.app);
    const theirs = { token: stranger.token };
    const early = await newProject({ source }, theirs);
    const link = dataOf<Link>(await call('GET', `/api/projects/${early}/link`, undefined, theirs));
    expect(link).toMatchObject({ ...shop, repositoryId: null });
    rig.host.gaps.trouble = { status: 500, headers: {}, text: '{}' };
    const project = await newProject({ source });
    expect((await call('POST', `/api/projects/${project}/link`, shop)).status).toBe(502);
    rig.host.gaps.trouble = undefined;
    expect(await linkOf(project)).toMatchObject({ repositoryId: null });
    await call('POST', `/api/projects/${project}/link`, shop);
    expect(await linkOf(project)).toMatchObject({ repositoryId: expect.any(Number), seenCommit: head });
    for (const repo of ['absent', 'docs/../shop'])
      expect((await call('POST', '/api/projects', { name: 'x', source: { ...source, repo } })).status).toBeOneOf([
        400, 404,
      ]);
    for (const name of [
      { owner: 'rivals', repo: 'secret' },
      { owner: 'team', repo: 'absent' },
    ]) {
      const answer = await call('POST', `/api/projects/${project}/link`, name);
      expect([answer.status, answer.body['error']]).toEqual([404, 'repository not found']);
    }
    const foreign = await call('POST', `/api/projects/${project}/link`, shop, theirs);
    expect([foreign.status, foreign.body['error']]).toEqual([404, 'project not found']);
  });

  it('are due without those of paused organizations, which would take the places of others', async () => {
    const { db } = rig.app.database;
    const stranger = await foreignOrganization(rig.app);
    const [first, second] = [await newProject({ source }), await newProject({ source }, { token: stranger.token })];
    await db.updateTable('project_links').set({ nextCheckAt: 2 }).where('projectId', '=', second).execute();
    await db.updateTable('project_links').set({ nextCheckAt: 1 }).where('projectId', '=', first).execute();
    const [due] = await selectDueLinks(db, 2, 1, []);
    expect(due!.projectId).toBe(first);
    const [other] = await selectDueLinks(db, 2, 1, [due!.organizationId]);
    expect(other!.projectId).toBe(second);
  });

  it('require read access to the repository, also of the token', async () => {
    const project = await newProject();
    const person = await join(rig.app, 'restricted@example.com', 'restricted');
    const grant = (...repositories: string[]) =>
      call('PUT', `/api/members/${person.memberId}/grants`, {
        grants: [
          { resource: 'project', id: project, actions: ['write'] },
          ...repositories.map((id) => ({ resource: 'repository', id, actions: ['read'] })),
        ],
      });
    const tries = async () => [
      (await call('POST', `/api/projects/${project}/link`, shop, person)).status,
      (await call('PATCH', `/api/projects/${project}`, { source }, person)).status,
    ];
    await grant();
    expect(await tries()).toEqual([403, 404]);
    await grant('team/docs');
    expect(await tries()).toEqual([404, 404]);
    await grant('team/Shop');
    expect(await tries()).toEqual([200, 200]);
    const token = await newToken(rig.app, await signInOwner(rig.app), ['project:write']);
    const other = await newProject();
    for (const [method, path, body] of [
      ['POST', `/api/projects/${other}/link`, shop],
      ['PATCH', `/api/projects/${other}`, { source }],
    ] as const) {
      const answer = await call(method, path, body, { token });
      expect([answer.status, answer.body['error']]).toEqual([403, 'this needs the permission githost:read']);
    }
  });

  it('are required for preparing and deploying a repository', async () => {
    const prepare = (body: object, who: object = owner) =>
      call('POST', '/api/deployments/prepare', { source: 'githost', ...body }, who);
    const seen = await prepare(shop);
    expect([seen.status, dataOf<{ framework: string }>(seen)]).toEqual([
      200,
      expect.objectContaining({ reasons: expect.any(Array) }),
    ]);
    expect((await prepare({ ...shop, branch: 'no-such' })).status).toBe(400);
    expect((await prepare({ owner: 'rivals', repo: 'secret' })).status).toBe(404);
    expect((await prepare({ owner: 'team' })).body['error']).toBe('repo is required');
    const person = await join(rig.app, 'deployer@example.com', 'restricted');
    const project = await newProject();
    await call('PUT', `/api/members/${person.memberId}/grants`, {
      grants: [
        { resource: 'project', id: project, actions: ['write'] },
        { resource: 'repository', id: 'team/docs', actions: ['admin'] },
      ],
    });
    expect((await prepare(shop, person)).status).toBe(404);
  });
});
