import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { ReleaseNames } from './release-names.ts';

describe.each(databaseKinds)('host name of the instance below its own base domain, on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    const env = { MOORING_BASE_DOMAIN: 'apps.example.net', MOORING_PUBLIC_URL: 'https://panel.apps.example.net' };
    app = await startApp(kind, { env });
  });
  afterAll(() => app.close());

  const call = (method: string, path: string, body: object) => app.call(method, path, { token: ownerToken, body });
  const create = (name: string, more: object = {}) =>
    call('POST', '/api/projects', { name, source: { type: 'local', path: newFolder('source') }, ...more });
  const dataOf = ({ body }: Answer) => (body as unknown as { data: { id: string; slug: string } }).data;
  const errorOf = ({ body }: Answer) => (body as unknown as { error: string }).error;

  it('is rejected as slug of new and renamed projects', async () => {
    const refused = await create('shop', { slug: 'panel' });
    expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining('the address of this instance')]);
    const made = await create('Panel');
    expect(dataOf(made).slug).toBe('panel-2');
    const renamed = await call('PATCH', `/api/projects/${dataOf(made).id}`, { slug: 'panel' });
    expect([renamed.status, errorOf(renamed)]).toEqual([400, expect.stringContaining('the address of this instance')]);
    const ensured = await call('POST', '/api/projects/ensure', { name: 'another', slug: 'panel' });
    expect(ensured.status).toBe(400);
  });

  it.each(['panel', 'panel.apps.example.net', 'PANEL'])('is rejected as label of a deployment: %s', async (domain) => {
    const { id } = dataOf(await create(`asks ${domain}`));
    const refused = await call('POST', '/api/deployments/build/access', {
      projectId: id,
      autoStart: false,
      publicEndpoints: [{ domain }],
    });
    expect([refused.status, errorOf(refused)]).toEqual([400, expect.stringContaining('the address of this instance')]);
  });

  it('is known when routes are built', async () => {
    const answering = { organizationId: 'o', projectId: 'p', environment: 'production' };
    const names = new ReleaseNames(app.database.db, 'panel.apps.example.net');
    for (const each of [await names.of(answering), (await names.all())(answering)])
      expect(['panel.apps.example.net', 'x.apps.example.net'].map((host) => each.isInstance(host))).toEqual([
        true,
        false,
      ]);
  });
});
