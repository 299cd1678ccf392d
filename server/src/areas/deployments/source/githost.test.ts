import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken } from '../../../../test/rig/app.ts';
import { folderOf } from '../../../../test/rig/deploy.ts';
import { type GitHostApp, startGitHostApp } from '../../../../test/rig/githost-app.ts';
import { until } from '../../../../test/rig/until.ts';

const dataOf = <T>(answer: Answer): Readonly<T> => (answer.body as unknown as { data: T }).data;
type Deployment = {
  id: string;
  status: string;
  commitSha: string;
  error: { code: string; step: string; message: string; hint: string } | null;
};

describe('deployments of a git host repository', { timeout: 60_000 }, () => {
  let rig: GitHostApp;
  let project: string;
  let first: string;
  const tokens: string[] = [];
  beforeAll(async () => {
    rig = await startGitHostApp('sqlite');
    const book = rig.host.gaps.tokens;
    const give = book.give.bind(book);
    book.give = (token, holder) => {
      tokens.push(token);
      give(token, holder);
    };
    first = rig.host.git.push('team/shop', folderOf({ 'index.html': 'one' }), 'one');
    const source = { type: 'githost', owner: 'team', repo: 'shop' };
    project = dataOf<{ id: string }>(await post('/api/projects', { name: 'shop', source })).id;
    await rig.app.deployments.start();
  });
  afterAll(() => rig?.close());

  const post = (path: string, body: object = {}) => rig.app.call('POST', path, { token: ownerToken, body });
  const ended = async (id: string) =>
    until(`${id} ends`, async () => {
      const answer = await rig.app.call('GET', `/api/deployments/${id}`, { token: ownerToken });
      const deployment = dataOf<Deployment>(answer);
      return ['ready', 'failed'].includes(deployment.status) ? deployment : undefined!;
    });
  const deploy = async (body: object = {}) =>
    ended(dataOf<Deployment>(await post('/api/deployments', { projectId: project, ...body })).id);

  it('are fetched with a credential that is revoked afterwards and never stored', async () => {
    const before = rig.host.log.length;
    const { status, commitSha, id } = await deploy();
    expect([status, commitSha]).toEqual(['ready', first]);
    const asked = rig.host.log.slice(before);
    const minted = asked.filter((line) => line === 'POST /app/installations/70/access_tokens 201').length;
    const endedTokens = asked.filter((line) => line === 'DELETE /installation/token 204').length;
    expect([minted > 0, endedTokens]).toEqual([true, 1]);
    expect(tokens.filter((token) => !rig.host.gaps.tokens.holder(token))).toHaveLength(1);
    const { db } = rig.app.database;
    const rows = [
      await db.selectFrom('deployment_events').selectAll().execute(),
      await db.selectFrom('deployment_steps').selectAll().execute(),
      await db.selectFrom('deployments').selectAll().execute(),
    ];
    const text = JSON.stringify(rows);
    expect(text).toContain('Fetching the default branch from');
    for (const token of tokens) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(Buffer.from(`x-access-token:${token}`).toString('base64'));
    }
    expect(id).toMatch(/^dep_/);
  });

  it('can build the branch, a commit, or the same commit again', async () => {
    const second = rig.host.git.push('team/shop', folderOf({ 'index.html': 'two' }), 'two');
    const answer = await post('/api/deployments/build/access', { projectId: project });
    const { deployment_id } = answer.body as unknown as { deployment_id: string };
    expect(await ended(deployment_id)).toMatchObject({ status: 'ready', commitSha: second });
    const old = await deploy({ commitSha: first });
    expect(old).toMatchObject({ status: 'ready', commitSha: first });
    const again = async (useExistingCommit: boolean) => {
      const redeployed = await post(`/api/deployments/${old.id}/redeploy`, { useExistingCommit });
      return ended((redeployed.body as unknown as { deployment_id: string }).deployment_id);
    };
    expect(await again(true)).toMatchObject({ status: 'ready', commitSha: first });
    expect(await again(false)).toMatchObject({ status: 'ready', commitSha: second });
    expect(await deploy({ branch: 'no-such' })).toMatchObject({
      status: 'failed',
      error: { code: 'source_failed', step: 'source', message: expect.stringContaining('no-such') as string },
    });
  });

  it('explain what to do if the repository was replaced or is no longer accessible', async () => {
    const { db } = rig.app.database;
    await db.updateTable('project_links').set({ repositoryId: 424_242 }).execute();
    expect((await deploy()).error).toMatchObject({
      code: 'source_failed',
      message: expect.stringContaining('is a different repository from the one that was linked') as string,
      hint: expect.stringContaining('link the project') as string,
    });
    await db.updateTable('project_links').set({ repositoryId: null }).execute();
    rig.host.gaps.lose(70, 'deleted');
    expect((await deploy()).error).toMatchObject({
      code: 'source_failed',
      hint: expect.stringContaining('Reconnect the git host') as string,
    });
    await db.deleteFrom('githost_installations').execute();
    expect((await deploy()).error).toMatchObject({
      message: expect.stringContaining('no account of the git host is connected') as string,
      hint: expect.stringContaining('Reconnect the git host') as string,
    });
  });
});
