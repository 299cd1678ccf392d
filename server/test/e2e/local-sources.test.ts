import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ended, json } from '../rig/deploy.ts';
import { joinService } from '../rig/service-people.ts';
import { type Service, startService } from '../rig/service.ts';

describe('local sources', () => {
  const home = newFolder('home');
  const [app, keys] = [join(home, 'app'), join(home, '.ssh')];
  let service: Service;
  let member: { authorization: string };
  beforeAll(async () => {
    for (const folder of [app, keys, join(app, '.ssh-backup'), join(home, 'backup', '.ssh')])
      mkdirSync(folder, { recursive: true });
    writeFileSync(join(app, 'index.html'), 'hello');
    for (const folder of [keys, join(home, 'backup', '.ssh')]) writeFileSync(join(folder, 'id_ed25519'), 'private key');
    symlinkSync(keys, join(home, 'keys'));
    service = await startService({ env: { HOME: home } });
    member = await joinService(service, 'member@example.com', 'member');
  });
  afterAll(() => service?.stop());

  const looks = async (path: string, as?: Record<string, string>) => {
    const prepared = await service.post('/api/deployments/prepare', { source: 'local', path }, as);
    const created = await service.post(
      '/api/projects',
      { name: `from ${path}`.slice(-60), source: { type: 'local', path } },
      as,
    );
    return [prepared.status, created.status];
  };
  const deployed = async (projectId: string, as?: Record<string, string>) => {
    const begun = service.post('/api/deployments/build/access', { projectId }, as);
    return ended(service, (await json<{ deployment_id: string }>(begun)).deployment_id);
  };

  it('are limited to the instance owner while their folders are the default ones', async () => {
    for (const path of [app, home, keys, join(home, 'keys'), '/tmp', service.dataDir, '/no/such'])
      expect([path, ...(await looks(path, member))]).toEqual([path, 403, 403]);
    const refused = await service.post('/api/deployments/prepare', { source: 'local', path: app }, member);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('MOORING_LOCAL_SOURCE_ROOTS') });
    expect(await looks(app)).toEqual([200, 201]);
  });

  it('cannot be hidden folders, home folders or our own, even for the instance owner', async () => {
    const checkout = join(import.meta.dirname, '../../..');
    for (const path of [
      keys,
      join(home, 'keys'),
      join(app, '.ssh-backup'),
      home,
      join(home, 'backup'),
      service.dataDir,
      checkout,
      join(checkout, 'server'),
    ])
      expect([path, ...(await looks(path))]).toEqual([path, 400, 400]);
    expect(await looks(join(checkout, 'examples', 'static-site'))).toEqual([200, 201]);
  });

  it("are checked again at each deployment, with the caller's permissions", async () => {
    const body = { name: 'owned', source: { type: 'local', path: app } };
    const { data } = await json<{ data: { id: string } }>(service.post('/api/projects', body));
    expect(await deployed(data.id)).toMatchObject({ status: 'ready', error: null });
    expect(await deployed(data.id, member)).toMatchObject({
      status: 'failed',
      error: {
        code: 'source_failed',
        message: expect.stringContaining('only the instance owner may deploy folders of this machine'),
        hint: expect.stringContaining('instance owner'),
      },
    });
  });
});
