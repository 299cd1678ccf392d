import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, ownerToken } from '../rig/app.ts';
import { databaseKinds } from '../rig/databases.ts';
import { folderOf } from '../rig/deploy.ts';
import { type GitHostApp, startGitHostApp } from '../rig/githost-app.ts';
import { announcedRepository, pushBody } from '../rig/githost-pushes.ts';
import { until } from '../rig/until.ts';

const owner = { token: ownerToken };
const dataOf = <T>(answer: Answer): Readonly<T> => (answer.body as unknown as { data: T }).data;

describe.each(databaseKinds)('delayed pushes on %s', { timeout: 60_000 }, (kind) => {
  let rig: GitHostApp;
  const heads: Record<string, string> = {};
  beforeEach(async () => {
    rig = await startGitHostApp(kind);
    for (const name of ['shop', 'docs']) heads[name] = push(name, 'one');
  });
  afterEach(() => rig?.close());

  const push = (name: string, text: string) =>
    rig.host.git.push(`team/${name}`, folderOf({ 'index.html': text }), `says ${text}`);
  const call = (method: string, path: string, body: object = {}) => rig.app.call(method, path, { ...owner, body });
  const deployments = () => rig.app.database.db.selectFrom('deployments').selectAll().orderBy('id').execute();
  const deliveries = () => rig.app.database.db.selectFrom('githost_deliveries').selectAll().orderBy('id').execute();
  const link = (id: string, repo: string) => call('POST', `/api/projects/${id}/link`, { owner: 'team', repo });
  async function linked(repo: string): Promise<string> {
    const { id } = dataOf<{ id: string }>(await call('POST', '/api/projects', { name: `p ${Math.random()}` }));
    expect((await link(id, repo)).status).toBe(200);
    return id;
  }

  /** Delays responses for these paths until they are released. */
  function hold(isHeld: (path: string) => boolean) {
    const { gaps } = rig.host;
    const answer = gaps.answer.bind(gaps);
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    gaps.answer = async (asked) => {
      if (isHeld(asked.path)) {
        waiting++;
        await gate.promise;
      }
      return answer(asked);
    };
    return { release: () => gate.resolve(), isReached: () => waiting > 0 };
  }

  it('keep running deployments and report seen commits while the host is unreachable', async () => {
    const [one, two] = [await linked('shop'), await linked('shop')].toSorted();
    rig.app.gitHost.webhooks.start();
    const long = Date.now() - 3_600_000;
    await rig.app.database.db
      .updateTable('project_links')
      .set({ checkedAt: long })
      .where('projectId', '=', two!)
      .execute();
    const repository = await announcedRepository(rig.host, 'team/shop');
    const [before, after] = [heads['shop']!, push('shop', 'two')];
    rig.host.gaps.trouble = { status: 500, headers: {}, text: '{"message":"oops"}' };
    await rig.announce(pushBody({ repository, before, after }));
    const ledger = async () =>
      dataOf<{ status: string; commitSha: string | null; why: string | null; projects: object[] }[]>(
        await rig.app.call('GET', '/api/githost/deliveries', owner),
      )[0]!;
    await until('the first is deployed', async () => (await ledger()).projects.length);
    const { id } = (await deployments())[0]!;
    const begun = { projectId: one, deploymentId: id, why: null };
    expect(await ledger()).toMatchObject({ status: 'received', commitSha: null, projects: [begun] });
    rig.host.gaps.trouble = undefined;
    await until('the second is, too', async () => (await ledger()).status === 'handled');
    expect((await deployments()).map(({ projectId }) => projectId)).toEqual([one, two]);
    const all = { why: null, projects: [begun, { projectId: two, deploymentId: (await deployments())[1]!.id }] };
    expect(await ledger()).toMatchObject({ ...all, commitSha: after });
    await rig.announce(pushBody({ repository, before, after, more: { told: 'again' } }));
    await until('it is told again', async () => (await deliveries()).filter((each) => each.handledAt).length === 2);
    expect(await ledger(), 'of what was seen already').toMatchObject({ status: 'handled', ...all });
    expect(await deployments()).toHaveLength(2);
  });

  it('after a slow response about the previous repository are those of the newly linked one', async () => {
    const project = await linked('shop');
    const held = hold((path) => path === '/repos/team/shop');
    await rig.app.deployments.start();
    await until('the host is asked', held.isReached);
    expect((await link(project, 'docs')).status).toBe(200);
    const looks = () => rig.host.log.filter((line) => line.startsWith('GET /repos/team/docs/branches/main')).length;
    const before = looks();
    held.release();
    await until('the new one is looked at', () => looks() > before);
    const { id: repositoryId } = await announcedRepository(rig.host, 'team/docs');
    expect(dataOf(await call('GET', `/api/projects/${project}/link`))).toMatchObject({ repo: 'docs', repositoryId });
    await rig.announcePush({ before: heads['docs']!, after: push('docs', 'two') }, 'team/docs');
    await until('it is deployed', async () => (await deployments()).length === 1);
    expect(JSON.parse((await deployments())[0]!.source)).toMatchObject({ repo: 'docs', repositoryId });
  });

  it('reach the other projects of the repository when one project has an error', async () => {
    const all = [await linked('shop'), await linked('shop')].toSorted();
    await call('PATCH', `/api/projects/${all[0]}/variables`, { variables: { A: 'b' } });
    const broken = await rig.app.database.db
      .updateTable('project_variables')
      .set({ value: 'unreadable' })
      .executeTakeFirst();
    expect(broken.numUpdatedRows).toBe(1n);
    await rig.app.deployments.start();
    await rig.announcePush({ before: heads['shop']!, after: push('shop', 'two') });
    await until('it is handled', async () => (await deliveries())[0]?.status === 'failed');
    expect((await deployments()).map(({ projectId }) => projectId)).toEqual([all[1]]);
  });

  it("do not block others or the service's shutdown while the host hangs", async () => {
    await linked('shop');
    const quick = await linked('docs');
    const repository = await announcedRepository(rig.host, 'team/shop');
    const held = hold((path) => path.startsWith('/repos/team/shop'));
    rig.app.gitHost.webhooks.start();
    await rig.announce(pushBody({ repository, before: 'a'.repeat(40), after: push('shop', 'two') }));
    await until('the host is asked', held.isReached);
    // Idle workers have ended by now.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const began = Date.now();
    await rig.announcePush({ before: heads['docs']!, after: push('docs', 'two') }, 'team/docs');
    await until('the other one is deployed', async () => (await deployments()).length === 1);
    expect(Date.now() - began).toBeLessThan(3000);
    expect((await deployments())[0]!.projectId).toBe(quick);
    const stopping = Date.now();
    await rig.app.gitHost.webhooks.stop();
    await rig.app.stop();
    expect(Date.now() - stopping).toBeLessThan(2500);
    held.release();
  });
});
