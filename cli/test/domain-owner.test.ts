import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownerToken } from '../../server/test/rig/app.ts';
import { ensureProject } from '../../server/test/rig/deploy.ts';
import { type NameServer, startNameServer } from '../../server/test/rig/name-server.ts';
import { secondOrganization } from '../../server/test/rig/second-organization.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { Person } from './mooring.ts';
import { stopWithApps } from './service.ts';

describe('a domain that another organization has added', () => {
  const ada = new Person();
  let service: Service;
  let dns: NameServer;
  beforeAll(async () => {
    dns = await startNameServer();
    service = await startService({
      env: {
        MOORING_EDGE_PORT: '0',
        MOORING_EDGE_TLS_PORT: '0',
        MOORING_DNS_SERVERS: dns.address,
        MOORING_ACME_DIRECTORY: 'none',
      },
    });
    await ensureProject(service, 'shop');
    const stranger = await secondOrganization(service);
    const theirs = await ensureProject(stranger, 'theirs');
    await stranger.post(`/api/projects/${theirs}/domains`, { name: 'shop.example.com' });
  });
  afterAll(async () => {
    ada.leave();
    if (service) await stopWithApps(service);
    await dns?.stop();
  });

  const says = async (...args: string[]) => {
    const env = { MOORING_URL: service.url, MOORING_TOKEN: ownerToken };
    const { code, stdout, stderr } = await ada.run(['domain', ...args], { env });
    return { code, said: (stdout + stderr).trim() };
  };

  test('is claimed with a DNS record that the command prints', async () => {
    const refused = await says('add', 'shop', 'shop.example.com');
    expect(refused.code).toBe(1);
    expect(refused.said).toContain('shop.example.com belongs to another project of this instance');
    const [, record = '', value = ''] = /TXT record (\S+) with the value (\S+)/.exec(refused.said) ?? [];
    expect(record).toBe('_mooring.shop.example.com');
    const checked = await says('check', 'shop', 'shop.example.com');
    expect(checked).toEqual({ code: 1, said: expect.stringContaining(`${record} with the value ${value}`) });
    expect(checked.said).toContain('there is no such record yet');
    dns.texts.set(record, [value]);
    expect((await says('check', 'shop', 'shop.example.com')).said).toContain('add it to the project');
    expect(await says('add', 'shop', 'shop.example.com')).toMatchObject({
      code: 0,
      said: expect.stringContaining('shop.example.com is added'),
    });
    expect((await says('check', 'shop', 'nobodys.example.com')).said).toContain('shop has no domain');
  });
});
