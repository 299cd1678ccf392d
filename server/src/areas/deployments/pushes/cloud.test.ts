import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, ownerToken } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { type GitHostApp, hookUrl, startGitHostApp } from '../../../../test/rig/githost-app.ts';
import { announcedRepository, pushBody, signedBy } from '../../../../test/rig/githost-pushes.ts';
import { foreignOrganization } from '../../../../test/rig/people.ts';
import { until } from '../../../../test/rig/until.ts';
import type { Drivers } from '../../../app.ts';
import { createMemoryRuntime } from '../../../drivers/runtime/memory.ts';

const owner = { token: ownerToken };
const dataOf = <T>(answer: Answer): Readonly<T> => (answer.body as unknown as { data: T }).data;
const cloud = { MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: '127.0.0.1' };

type Delivery = { status: string; commitSha: string; projects: { deploymentId: string | null; why: string | null }[] };

describe.each(databaseKinds)('pushes to a cloud on %s', { timeout: 30_000 }, (kind) => {
  let rig: GitHostApp;
  let first: string;
  afterEach(() => rig?.close());

  async function start(env: Record<string, string> = {}, drivers: Partial<Drivers> = {}): Promise<void> {
    rig = await startGitHostApp(kind, { ...cloud, ...env }, drivers);
    first = push('one');
  }
  const push = (text: string) => rig.host.git.push('team/shop', folderOf({ 'index.html': text }), `says ${text}`);
  const call = (method: string, path: string, body?: object, who: object = owner) =>
    rig.app.call(method, path, { ...who, ...(body && { body }) });
  const deployments = () => rig.app.database.db.selectFrom('deployments').selectAll().orderBy('id').execute();
  const ledger = async (who: object = owner) =>
    dataOf<Delivery[]>(await call('GET', '/api/githost/deliveries', undefined, who));
  async function linked(who: object = owner): Promise<string> {
    const { id } = dataOf<{ id: string }>(await call('POST', '/api/projects', { name: 'shop' }, who));
    expect((await call('POST', `/api/projects/${id}/link`, { owner: 'team', repo: 'shop' }, who)).status).toBe(200);
    return id;
  }

  it('are reported by a repository webhook and deployed for every follower', async () => {
    await start();
    const stranger = await foreignOrganization(rig.app);
    const theirs = { token: stranger.token };
    const project = await linked();
    const made = await call('POST', '/api/projects', { name: 'x' }, theirs);
    const { id: other } = dataOf<{ id: string }>(made);
    const link = await call('POST', `/api/projects/${other}/link`, { owner: 'team', repo: 'shop' }, theirs);
    expect([link.status, link.body['code']], 'the app is not theirs').toEqual([400, 'not_connected']);
    expect((await call('POST', '/api/githost/repos/team/shop/webhooks')).status).toBe(201);
    await rig.app.deployments.start();
    const after = push('two');
    const repository = await announcedRepository(rig.host, 'team/shop');
    const body = pushBody({ repository, before: first, after });
    const headers = signedBy(rig.host.gaps.secrets.get(hookUrl)!, body);
    expect((await rig.app.call('POST', '/api/webhooks/githost', { body, headers })).status).toBe(202);
    const ready = await until('it serves', async () => (await deployments()).find(({ status }) => status === 'ready'));
    expect(ready).toMatchObject({ projectId: project, commitSha: after, trigger: 'push' });
    expect(await deployments()).toHaveLength(1);
    const own = await until('it is written down', async () => {
      const found = (await ledger()).find(({ commitSha }) => commitSha === after);
      return found?.status === 'handled' && found;
    });
    expect(own).toMatchObject({ projects: [{ projectId: project, deploymentId: ready!.id, why: null }] });
    expect(await ledger(theirs)).toEqual([]);
  });

  it('are found by polling, and rejected unless signed', async () => {
    await start({ MOORING_PUSH_POLL_SECONDS: '1' });
    await linked();
    const after = push('two');
    expect((await rig.announcePush({ before: first, after }, 'team/shop', 'guessed')).status).toBe(401);
    await rig.app.deployments.start();
    await until('it is found', async () => (await deployments())[0]?.commitSha === after);
    expect(await ledger()).toEqual([]);
  });

  it('are ignored where nothing may run, and the delivery records why', async () => {
    await start({}, { runtime: { ...createMemoryRuntime(), kind: 'process' } });
    const project = await linked();
    await rig.app.deployments.start();
    const after = push('two');
    expect((await rig.announcePush({ before: first, after })).status).toBe(202);
    const told = await until('it is handled', async () => (await ledger()).find(({ status }) => status === 'ignored'));
    expect(told!.projects).toEqual([{ projectId: project, deploymentId: null, why: expect.stringMatching(/./) }]);
    expect(await deployments()).toEqual([]);
  });
});
