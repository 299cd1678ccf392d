import { afterEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { foreignOrganization, join } from '../../../../test/rig/people.ts';
import type { ProcessIsolation } from '../../../drivers/host/isolation.ts';

const source = { type: 'git', url: 'https://example.com/a/b.git', branch: 'main' };

describe('machine that cannot confine apps', () => {
  let app: TestApp;
  afterEach(() => app.close());
  const begin = async (isolation: ProcessIsolation, env = {}) =>
    (app = await startApp('sqlite', { drivers: { ...memoryDrivers(), isolation: Promise.resolve(isolation) }, env }));
  const create = (as: object, name: string) => app.call('POST', '/api/projects', { ...as, body: { name, source } });

  async function deploy(as: { token?: string; cookie?: string }, name: string) {
    const { data } = (await create(as, name)).body as unknown as { data: { id: string } };
    const { status, body } = await app.call('POST', '/api/deployments', { ...as, body: { projectId: data.id } });
    return [status, body['code']];
  }
  const notices = async (as: object) =>
    ((await app.call('GET', '/api/instance', as)).body as unknown as { data: { notices: string[] } }).data.notices;

  it('lets only owners and admins of the first organization deploy', async () => {
    await begin({ kind: 'none', reason: 'unshare failed' });
    const member = await join(app, 'member@example.com', 'member');
    const admin = await join(app, 'admin@example.com', 'admin');
    const stranger = await foreignOrganization(app);
    expect(await deploy({ token: ownerToken }, 'one')).toEqual([202, undefined]);
    expect(await deploy(admin, 'two')).toEqual([202, undefined]);
    expect(await deploy(member, 'three')).toEqual([403, 'isolation_required']);
    expect(await deploy({ token: stranger.token }, 'four')).toEqual([403, 'isolation_required']);
    expect(await notices({ token: ownerToken })).toEqual([expect.stringContaining('unshare failed')]);
    expect(await notices(member)).toEqual([]);
  });

  it('lets everyone deploy once the operator accepts that, with a warning', async () => {
    await begin({ kind: 'none', reason: null });
    const stranger = await foreignOrganization(app);
    expect(await deploy({ token: stranger.token }, 'one')).toEqual([202, undefined]);
    expect(await notices({ token: ownerToken })).toEqual([expect.stringContaining('rights of Mooring')]);
  });

  it('limits the projects of an organization by the setting', async () => {
    await begin({ kind: 'none', reason: null }, { MOORING_PROJECTS_PER_ORGANIZATION: '2' });
    const answers = [];
    for (const name of ['one', 'two', 'three']) answers.push(await create({ token: ownerToken }, name));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 403]);
    expect(answers[2]!.body).toMatchObject({ code: 'limit_reached' });
  });
});
