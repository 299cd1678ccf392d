import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selfSigned } from '../../server/test/rig/certificate.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Pebble, startPebble } from '../../server/test/rig/pebble.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { until } from '../../server/test/rig/until.ts';
import { Person } from './mooring.ts';
import { type Service, startService, stopWithApps } from './service.ts';

type Domain = { name: string; isPrimary: boolean; redirectTo: string | null; certificate: { source: string } | null };

describe.runIf(has('pebble'))('domains by command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mooring-domains-'));
  const ada = new Person();
  let service: Service;
  let pebble: Pebble;

  beforeAll(async () => {
    const port = await freePort();
    pebble = await startPebble({ httpPort: port });
    await pebble.lead('lost.example.com', ['127.0.0.77']);
    service = await startService({
      MOORING_EDGE_PORT: String(port),
      MOORING_ACME_DIRECTORY: pebble.directory,
      MOORING_ACME_CA_FILE: pebble.caFile,
      MOORING_DNS_SERVERS: pebble.dnsServer,
    });
    await ada.logIn(service.url);
    for (const name of ['shop', 'blog'])
      await ada.json(['api', '/api/projects', '--data', JSON.stringify({ name, source: { type: 'upload' } })]);
  });
  afterAll(async () => {
    ada.leave();
    if (service) await stopWithApps(service);
    await pebble?.stop();
    rmSync(folder, { recursive: true });
  });

  const says = async (args: string[]) => {
    const { code, stdout, stderr } = await ada.run(['domain', ...args]);
    return { code, said: (stdout + stderr).trim() };
  };
  const list = () => ada.json<Domain[]>(['domain', 'list', 'shop']);
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };

  test('a domain is added, gets a certificate, is checked, renewed and removed', async () => {
    expect(await says(['add', 'shop', 'Bücher.example.com'])).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^xn--bcher-kva\.example\.com serves at http/),
    });
    expect(await says(['add', 'shop', 'www.example.com', '--redirect-to', 'shop.example.com'])).toMatchObject({
      code: 0,
      said: expect.stringContaining('www.example.com redirects to shop.example.com'),
    });
    expect(await list()).toMatchObject([
      { name: 'xn--bcher-kva.example.com', isPrimary: true },
      { name: 'www.example.com', redirectTo: 'shop.example.com' },
    ]);
    const renewed = await says(['renew', 'bücher.example.com']);
    expect(renewed.said).toContain('xn--bcher-kva.example.com has a new certificate, valid until');
    await until('both have one', async () => (await list()).every(({ certificate }) => certificate?.source === 'acme'));
    expect(await says(['check', 'shop', 'BÜCHER.example.com.'])).toMatchObject({
      code: 0,
      said: expect.stringContaining('serves at https://xn--bcher-kva.example.com'),
    });
    expect((await says(['list', 'shop'])).said).toMatch(/xn--bcher-kva\.example\.com \* .* ok +89 days left/);
    expect((await says(['update', 'shop', 'www.example.com'])).said).toContain('nothing to change');
    const changed = ['update', 'shop', 'www.example.com', '--redirect-to', 'none', '--primary', '--hsts', '60'];
    expect(await says(changed)).toMatchObject({ code: 0 });
    expect(await list()).toMatchObject([{ name: 'www.example.com', redirectTo: null, hstsSeconds: 60 }, {}]);
    expect(await says(['remove', 'shop', 'www.example.com'])).toMatchObject({ code: 0 });
    expect(await list()).toHaveLength(1);
  });

  test('the remaining steps are printed, and a check fails until they are done', async () => {
    const added = await says(['add', 'shop', 'lost.example.com']);
    expect(added).toMatchObject({ code: 0, said: expect.stringContaining('needs one more step') });
    expect(added.said).toContain('127.0.0.77');
    expect(added.said).toContain('Open port');
    expect(added.said).toContain('mooring domain check shop lost.example.com');
    expect(await says(['check', 'shop', 'lost.example.com'])).toMatchObject({ code: 1 });
    expect(await says(['renew', 'lost.example.com'])).toMatchObject({
      code: 1,
      said: expect.stringContaining('Open port'),
    });
  });

  test('usage errors name the correct form', async () => {
    const tell = async (words: string, code: number, what: string) =>
      expect(await says(words.split(' '))).toEqual({ code, said: expect.stringContaining(what) });
    await tell('list shp', 1, 'did you mean shop?');
    await tell('add shop https://shop.example.com/a', 2, 'give the domain only: shop.example.com');
    await tell('add shop nonsense', 1, 'is not a domain name such as shop.example.com');
    await tell('add shop mine.localhost', 1, 'belong to this instance');
    await tell('add blog lost.example.com', 1, 'belongs to another project');
    await tell('add shop x.example.com --redirect-to y.example.com --primary', 2, 'cannot be primary');
    await tell('check shop lots.example.com', 1, 'did you mean lost.example.com?');
    await tell('check blog lost.example.com', 1, 'it has none');
    await tell('renew nobodys.example.com', 1, 'is not a domain of your projects');
  });

  test('an uploaded certificate is served until it is removed', async () => {
    const own = selfSigned('lost.example.com', 5);
    const [chain, key] = [file('own.pem', own.cert), file('own.key', own.key)];
    const use = (certificate: string, privateKey: string, name = 'lost.example.com') =>
      says(['certificate', 'shop', name, '--certificate', certificate, '--key', privateKey]);
    expect(await says(['certificate', 'shop', 'lost.example.com'])).toMatchObject({ code: 2 });
    expect((await use(join(folder, 'none.pem'), key)).said).toMatch(/--certificate .*none\.pem cannot be read/);
    expect((await use(chain, folder)).said).toContain(`--key ${folder} cannot be read`);
    expect((await use(chain, file('garbage', 'hello'))).said).toContain('is not a private key in PEM form');
    expect((await use(chain, file('other.key', selfSigned('x').key))).said).toContain('does not match the certificate');
    expect((await use(chain, key, 'nope.example.com')).said).toContain('shop has no domain nope.example.com');
    const used = await use(chain, key);
    expect(used).toMatchObject({
      code: 0,
      said: expect.stringContaining('lost.example.com uses the uploaded certificate, valid until'),
    });
    expect(used.said).toContain('warning: ');
    expect((await says(['list', 'shop'])).said).toContain('4 days left, uploaded');
    expect(await says(['certificate', 'shop', 'lost.example.com', '--remove'])).toMatchObject({ code: 0 });
    expect((await says(['certificate', 'shop', 'lost.example.com', '--remove'])).said).toContain(
      'uploaded certificate',
    );
  });
});
