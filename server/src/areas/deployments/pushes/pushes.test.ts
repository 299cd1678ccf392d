import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKindsInFull } from '../../../../test/rig/databases.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { newGate } from '../../../../test/rig/gate.ts';
import { type GitHostApp, startGitHostApp } from '../../../../test/rig/githost-app.ts';
import { announcedRepository, noCommit, pushBody, signedBy } from '../../../../test/rig/githost-pushes.ts';
import { userTokens } from '../../../../test/rig/githost-seed.ts';
import { foreignOrganization } from '../../../../test/rig/people.ts';
import { until } from '../../../../test/rig/until.ts';

const owner = { token: ownerToken };
const dataOf = <T>(answer: Answer): Readonly<T> => (answer.body as unknown as { data: T }).data;
const site = (text: string, more: Record<string, string> = {}) => folderOf({ 'index.html': `<p>${text}</p>`, ...more });

type Link = { seenCommit: string; branch: string; announced: boolean; problem: string | null; repositoryId: number };
type Delivery = { id: string; status: string; projects: { deploymentId: string | null; why: string | null }[] };

const isFull = process.env['MOORING_TEST_FULL'] === '1';

describe.each(databaseKindsInFull)('pushes on %s', { timeout: 60_000 }, (kind) => {
  /** Slow tests: on the second database they run only in the full suite. */
  const lasting = (name: string, test: () => Promise<void>): void => {
    if (kind === 'sqlite' || isFull) it(name, test);
  };
  let rig: GitHostApp;
  let first: string;
  beforeEach(async () => {
    rig = await startGitHostApp(kind);
    first = rig.host.git.push('team/shop', site('one'), 'the first commit');
  });
  afterEach(() => rig?.close());

  const post = (path: string, body: object = {}, app: TestApp = rig.app) => app.call('POST', path, { ...owner, body });
  const get = <T>(path: string) => rig.app.call('GET', path, owner).then((answer) => dataOf<T>(answer));
  const deployments = () => rig.app.database.db.selectFrom('deployments').selectAll().orderBy('id').execute();
  const push = (text: string, branch = 'main') => rig.host.git.push('team/shop', site(text), `says ${text}`, branch);
  const settled = () =>
    until('everything is handled', async () => {
      const rows = await rig.app.database.db.selectFrom('githost_deliveries').select('status').execute();
      return rows.every(({ status }) => status !== 'received');
    });
  const lastDelivery = async () => {
    await settled();
    return (await get<Delivery[]>('/api/githost/deliveries'))[0]!;
  };

  /** Waits for the first check of every branch, so that only later pushes count as new. */
  async function start(): Promise<void> {
    const isLook = (line: string) => line.startsWith('GET /repos/team/shop/branches/');
    const before = rig.host.log.filter(isLook).length;
    const links = await rig.app.database.db
      .selectFrom('project_links')
      .innerJoin('projects', 'projects.id', 'project_links.projectId')
      .select('projectId')
      .where('autoDeploy', '=', 1)
      .execute();
    await rig.app.deployments.start();
    await until('all were looked at', () => rig.host.log.filter(isLook).length >= before + links.length);
  }

  async function linked(fields: object = {}, link: object = {}): Promise<string> {
    const { id } = dataOf<{ id: string }>(await post('/api/projects', { name: `shop ${Math.random()}`, ...fields }));
    const answer = await post(`/api/projects/${id}/link`, { owner: 'team', repo: 'shop', ...link });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return id;
  }

  it('to the branch of a project are deployed, but not earlier commits', async () => {
    const project = await linked();
    expect(await get<Link>(`/api/projects/${project}/link`)).toMatchObject({ seenCommit: first, branch: 'main' });
    await start();
    const second = push('two');
    await rig.announcePush({ before: first, after: second });
    const row = await until('it is ready', async () => (await deployments()).find(({ status }) => status === 'ready'));
    expect(row).toMatchObject({
      projectId: project,
      environment: 'production',
      trigger: 'push',
      branch: 'main',
      commitSha: second,
      commitMessage: 'says two',
      active: 1,
    });
    expect(await deployments()).toHaveLength(1);
    expect(await lastDelivery()).toMatchObject({
      status: 'handled',
      projects: [{ projectId: project, deploymentId: row!.id, why: null }],
    });
    const audit = await get<{ action: string; actor: { name: string } }[]>('/api/audit?action=deployment.created');
    expect(audit[0]!.actor.name).toBe('octo at the git host');
  });

  it('are deployed once however often they are reported, by webhook and polling on two replicas', async () => {
    await linked();
    const second = await startApp(kind, {
      replica: { of: rig.app, name: 'second' },
      env: { GITHOST_WEBHOOK_SECRET: 'what the host signs with for the app' },
    });
    await post('/api/githost/repos/team/shop/webhooks');
    const secret = [...rig.host.gaps.secrets.values()][0]!;
    const after = push('two');
    const repository = await announcedRepository(rig.host, 'team/shop');
    const body = pushBody({ repository, before: first, after });
    const viaApp = pushBody({ repository, before: first, after, more: { installation: { id: 70 } } });
    const byHook = signedBy(secret, body);
    await Promise.all([rig.app.deployments.start(), second.deployments.start()]);
    const count = kind === 'sqlite' ? 1000 : 300;
    for (let sent = 0; sent < count; sent += 50)
      await Promise.all(
        Array.from({ length: 50 }, (_, i) => {
          const app = i % 2 ? rig.app : second;
          const headers = i % 3 ? byHook : signedBy('what the host signs with for the app', viaApp);
          return app.call('POST', '/api/webhooks/githost', { body: i % 3 ? body : viaApp, headers });
        }),
      );
    await settled();
    expect(await deployments()).toHaveLength(1);
    expect(await rig.app.database.db.selectFrom('githost_deliveries').select('id').execute()).toHaveLength(2);
    await second.close();
  });

  it('queue during a deployment, and the latest wins', async () => {
    const gate = newGate();
    await linked({ buildCommand: gate.wait });
    await start();
    const commits = [first, push('1'), push('2'), push('3'), push('4')];
    await rig.announcePush({ before: commits[0]!, after: commits[1]! });
    await until('the first builds', async () => (await deployments())[0]?.status === 'building');
    for (const i of [1, 2, 3]) {
      await rig.announcePush({ before: commits[i]!, after: commits[i + 1]! });
      await settled();
    }
    gate.open();
    await until('all have ended', async () => (await deployments()).every(({ finishedAt }) => finishedAt !== null));
    expect((await deployments()).map(({ commitSha, status }) => [commitSha, status])).toEqual([
      [commits[1], 'ready'],
      [commits[2], 'cancelled'],
      [commits[3], 'cancelled'],
      [commits[4], 'ready'],
    ]);
  });

  lasting('out of turn, and old ones told again, lead to what the host has now', async () => {
    await linked();
    await start();
    const [second, third] = [push('two'), push('three')];
    await rig.announcePush({ before: second, after: third });
    await settled();
    expect((await deployments()).map(({ commitSha }) => commitSha)).toEqual([third]);
    await rig.announcePush({ before: first, after: second });
    expect((await lastDelivery()).projects).toMatchObject([{ why: 'this commit was handled already' }]);
    const { id } = await lastDelivery();
    expect((await post(`/api/githost/deliveries/${id}/replay`)).status).toBe(202);
    await settled();
    expect(await deployments()).toHaveLength(1);
  });

  it('of tags, deleted and other branches are ignored; another branch can be followed', async () => {
    const project = await linked();
    await start();
    const other = push('beta', 'beta');
    for (const [more, why] of [
      [{ ref: 'refs/tags/v1' }, 'tags are not deployed'],
      [{ after: noCommit, deleted: true }, 'the branch was deleted'],
      [{ ref: 'refs/heads/beta' }, 'the project follows another branch'],
    ] as const) {
      await rig.announcePush({ before: first, after: other, more });
      expect(await lastDelivery()).toMatchObject({ status: 'ignored', projects: [{ deploymentId: null, why }] });
    }
    const wrong = await post(`/api/projects/${project}/link`, { owner: 'team', repo: 'shop', branch: 'no-such' });
    expect([wrong.status, wrong.body['error']]).toEqual([400, 'branch does not exist in the repository']);
    await post(`/api/projects/${project}/link`, { owner: 'team', repo: 'shop', branch: 'beta' });
    const next = push('beta 2', 'beta');
    await rig.announcePush({ before: other, after: next, branch: 'beta' });
    await settled();
    expect((await deployments()).map(({ commitSha, branch }) => [commitSha, branch])).toEqual([[next, 'beta']]);
  });

  it('to a new default branch are deployed where the default branch is followed', async () => {
    const project = await linked();
    const other = await linked({}, { branch: 'main' });
    await start();
    const after = push('two', 'trunk');
    const repository = { ...(await announcedRepository(rig.host, 'team/shop')), default_branch: 'trunk' };
    await rig.announcePush({ before: noCommit, after, branch: 'trunk', more: { repository } });
    await settled();
    expect((await deployments()).map(({ projectId, branch }) => [projectId, branch])).toEqual([[project, 'trunk']]);
    expect(await get<Link>(`/api/projects/${other}/link`)).toMatchObject({ branch: 'main', seenCommit: first });
  });

  lasting('that touch nothing of a project’s folder are not deployed, also when the host has to be asked', async () => {
    const web = await linked({ rootDirectory: 'apps/web' });
    const all = await linked();
    const off = await linked({ autoDeploy: false });
    const there = await linked();
    const leaving = await linked();
    const { db } = rig.app.database;
    await db.updateTable('projects').set({ cloudState: 'there' }).where('id', '=', there).execute();
    const soon = Date.now() + 60_000;
    await db.updateTable('projects').set({ cloudBusyUntil: soon }).where('id', '=', leaving).execute();
    await start();
    const before = rig.host.git.push('team/shop', site('x', { 'apps/web/index.html': 'x' }), 'with apps');
    const outcome = async () =>
      Object.fromEntries(
        (await lastDelivery()).projects.map((each) => {
          const { projectId, deploymentId, why } = each as typeof each & { projectId: string };
          return [projectId, deploymentId ? 'deployed' : why];
        }),
      );
    await rig.announcePush({ before: first, after: before, files: ['apps/web/index.html'] });
    expect(await outcome()).toEqual({
      [web]: 'deployed',
      [all]: 'deployed',
      [off]: 'auto-deploy is off',
      [there]: 'the project runs in the cloud, which deploys pushes itself',
      [leaving]: 'this project is being promoted; try again when that has finished',
    });
    expect(await get<Link>(`/api/projects/${leaving}/link`), 'it is looked for again').toMatchObject({
      seenCommit: first,
    });
    const docs = rig.host.git.push('team/shop', folderOf({ 'docs/a.md': 'a', 'apps/website/x': 'x' }), 'docs');
    await rig.announcePush({ before, after: docs, files: ['docs/a.md', 'apps/website/x'] });
    expect(await outcome()).toMatchObject({ [web]: 'nothing changed in apps/web', [all]: 'deployed' });
    const more = rig.host.git.push('team/shop', folderOf({ 'docs/b.md': 'b' }), 'more docs');
    await rig.announcePush({ before: docs, after: more, more: { commits: [] } });
    expect(await outcome(), 'the host compares').toMatchObject({ [web]: 'nothing changed in apps/web' });
    await rig.announcePush({ before: more, after: before, more: { forced: true } });
    expect(await outcome(), 'moved back over changes elsewhere').toMatchObject({
      [web]: 'nothing changed in apps/web',
      [all]: 'deployed',
    });
    await rig.announcePush({ before, after: first, more: { forced: true } });
    expect(await outcome(), 'moved back over its own').toMatchObject({ [web]: 'deployed', [all]: 'deployed' });
  });

  lasting('are found where nobody announces them, and after a while in which nobody could', async () => {
    await rig.close();
    rig = await startGitHostApp(kind, { MOORING_PUSH_POLL_SECONDS: '1' });
    first = rig.host.git.push('team/shop', site('one'), 'the first commit');
    const project = await linked();
    const second = push('while nobody looked');
    await rig.app.deployments.start();
    await until('it is found', async () => (await deployments())[0]?.commitSha === second);
    rig.host.gaps.trouble = { status: 403, headers: { 'retry-after': '1' }, text: '{"message":"slow down"}' };
    await until('the trouble is told', async () => (await get<Link>(`/api/projects/${project}/link`)).problem);
    const third = push('three');
    rig.host.gaps.trouble = undefined;
    await until('the next one too', async () => (await deployments()).at(-1)?.commitSha === third);
    expect(await deployments()).toHaveLength(2);
    const asked = rig.host.log.filter((line) => line.startsWith('GET /repos/team/shop'));
    expect(
      asked.some((line) => line.endsWith(' 304')),
      'by conditional requests',
    ).toBe(true);
    expect(await get<Link>(`/api/projects/${project}/link`)).toMatchObject({ problem: null, announced: false });
  });

  lasting('to a new default branch that nobody announces are found where the default one is followed', async () => {
    await rig.close();
    rig = await startGitHostApp(kind, { MOORING_PUSH_POLL_SECONDS: '1' });
    first = rig.host.git.push('team/shop', site('one', { 'apps/web/index.html': 'x' }), 'the first commit');
    const project = await linked();
    const other = await linked({}, { branch: 'main' });
    const web = await linked({ rootDirectory: 'apps/web' });
    await start();
    const becomes = async (branch: string, head: string) => {
      const headers = { authorization: `Bearer ${Object.keys(userTokens)[0]!}` };
      const body = JSON.stringify({ default_branch: branch });
      const answer = await fetch(`${rig.host.apiUrl}/repos/team/shop`, { method: 'PATCH', headers, body });
      expect(answer.status).toBe(200);
      const link = () => get<Link>(`/api/projects/${project}/link`);
      await until(`${branch} is followed`, async () => (await link()).branch === branch, 30_000);
      await until('its head is known', async () => (await link()).seenCommit === head, 30_000);
    };
    execFileSync('git', ['branch', 'same', 'main'], { cwd: rig.host.git.folder('team/shop') });
    await becomes('same', first);
    expect(await deployments(), 'the same commit under another name is no news').toEqual([]);
    const after = rig.host.git.push('team/shop', folderOf({ 'docs/a.md': 'a' }), 'docs', 'trunk');
    await becomes('trunk', after);
    await until('who follows the default one has it', async () => (await deployments()).length, 30_000);
    // Each project is checked on its own schedule.
    const webLink = () => get<Link>(`/api/projects/${web}/link`);
    await until('the other one has looked too', async () => (await webLink()).seenCommit === after, 30_000);
    expect((await deployments()).map(({ projectId, branch, commitSha }) => [projectId, branch, commitSha])).toEqual([
      [project, 'trunk', after],
    ]);
    expect(await get<Link>(`/api/projects/${web}/link`)).toMatchObject({ branch: 'trunk', seenCommit: after });
    expect(await get<Link>(`/api/projects/${other}/link`)).toMatchObject({ branch: 'main', seenCommit: first });
  });

  lasting('are told back to the host, from the begin to the end', async () => {
    const project = await linked({ slug: 'till' });
    await start();
    const second = push('two');
    await rig.announcePush({ before: first, after: second });
    const told = () => rig.host.gaps.statuses.map(({ path, body }) => [path, (body as { state: string }).state]);
    await until('the end is told', () => told().length && told().at(-1)![1] === 'success');
    expect(told().every(([path]) => path === `/repos/team/shop/statuses/${second}`)).toBe(true);
    const [row] = await deployments();
    expect(rig.host.gaps.statuses.at(-1)!.body).toMatchObject({
      context: 'mooring/till',
      description: 'Deployed and serving.',
      target_url: `http://127.0.0.1:1/deployments/${row!.id}`,
    });
    await rig.app.call('PATCH', `/api/projects/${project}`, { ...owner, body: { buildCommand: 'exit 3' } });
    await rig.announcePush({ before: second, after: push('three') });
    await until('the failure is told', () => told().at(-1)![1] === 'failure');
    expect(rig.host.gaps.statuses.at(-1)!.body).toMatchObject({ description: 'The deployment failed at build.' });
    await until('nothing is left to tell', async () => {
      const left = await rig.app.database.db.selectFrom('commit_statuses').select('deploymentId').execute();
      return !left.length;
    });
  });

  it('whose deployment is deleted do not stay pending at the git host', async () => {
    const gate = newGate();
    await linked({ buildCommand: gate.wait });
    await start();
    await rig.announcePush({ before: first, after: push('two') });
    const told = () => rig.host.gaps.statuses.map(({ body }) => (body as { state: string }).state);
    await until('the host knows of it', () => told().includes('pending'));
    const { id } = (await deployments())[0]!;
    expect((await rig.app.call('DELETE', `/api/deployments/${id}`, owner)).status).toBe(200);
    await until('it is deleted', async () => !(await deployments()).length);
    await until('the end is told', () => told().length > 1);
    expect(told()).toEqual(['pending', 'error']);
  });

  it('to a repository of two organizations are deployed and reported by each', async () => {
    const stranger = await foreignOrganization(rig.app);
    await rig.install(stranger.organizationId, 'team');
    const own = await linked();
    const theirs = { token: stranger.token };
    const made = await rig.app.call('POST', '/api/projects', { ...theirs, body: { name: 'theirs' } });
    const { id } = dataOf<{ id: string }>(made);
    await rig.app.call('POST', `/api/projects/${id}/link`, { ...theirs, body: { owner: 'team', repo: 'shop' } });
    await start();
    await rig.announcePush({ before: first, after: push('two') });
    await settled();
    const rows = await deployments();
    expect(new Set(rows.map(({ projectId, organizationId }) => `${projectId} ${organizationId}`))).toEqual(
      new Set([`${own} ${rig.organizationId}`, `${id} ${stranger.organizationId}`]),
    );
    expect(rows).toHaveLength(2);
    const ledger = dataOf<Delivery[]>(await rig.app.call('GET', '/api/githost/deliveries', theirs));
    expect(ledger.flatMap(({ projects }) => projects)).toMatchObject([{ projectId: id }]);
    const foreign = (await get<Delivery[]>('/api/githost/deliveries'))[0]!;
    const replay = `/api/githost/deliveries/${foreign.id}/replay`;
    expect((await rig.app.call('POST', replay, theirs)).status).toBe(404);
  });

  it('to a renamed repository are deployed', async () => {
    const project = await linked();
    await start();
    const repository = await announcedRepository(rig.host, 'team/shop');
    const after = push('two');
    await rig.announce(pushBody({ repository: { ...repository, name: 'store' }, before: first, after }));
    await settled();
    expect(await get(`/api/projects/${project}/link`)).toMatchObject({ repo: 'store', seenCommit: after });
    const [row] = await deployments();
    expect(JSON.parse(row!.source)).toMatchObject({ repo: 'store', repositoryId: repository.id, commitSha: after });
  });

  lasting('that the host itself does not show yet are not undone by looking', async () => {
    await rig.close();
    rig = await startGitHostApp(kind, { MOORING_PUSH_POLL_SECONDS: '1' });
    first = rig.host.git.push('team/shop', site('one'), 'the first commit');
    await linked();
    await start();
    const unseen = 'a'.repeat(40);
    await rig.announcePush({ before: first, after: unseen });
    await settled();
    const looks = () => rig.host.log.filter((line) => line.includes('/branches/main')).length;
    const before = looks();
    await sleep(3000);
    expect(looks(), 'nobody asks for a moment').toBe(before);
    expect((await deployments()).map(({ commitSha }) => commitSha)).toEqual([unseen]);
  });

  it('are hidden from an organization that lost access to the repository', async () => {
    await linked();
    await start();
    const long = Date.now() - 3_600_000;
    await rig.app.database.db.updateTable('project_links').set({ checkedAt: long }).execute();
    rig.host.gaps.lose(70, 'deleted');
    await rig.announcePush({ before: first, after: push('a secret plan') });
    const untold = { status: 'ignored', ref: null, commitSha: null, projects: [{ deploymentId: null }] };
    expect(await lastDelivery()).toMatchObject(untold);
    await rig.announcePush({ before: first, after: push('another one', 'a-secret-name'), branch: 'a-secret-name' });
    expect(await lastDelivery()).toMatchObject(untold);
    expect(await deployments()).toEqual([]);
  });
});
