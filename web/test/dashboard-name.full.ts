import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../../server/test/rig/browser.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Pebble, startPebble } from '../../server/test/rig/pebble.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';
import { pictures } from './pictures.ts';

const name = 'mooring.example.com';
const nobody = { MOORING_ADMIN_EMAIL: '', MOORING_ADMIN_PASSWORD: '', MOORING_ADMIN_TOKEN: '' };
const [email, password] = ['ada@example.org', 'correct horse battery'];

describe.runIf(has('pebble') && has('chromium'))('the dashboard on its own name, in a browser', () => {
  let service: Service;
  let pebble: Pebble;
  let browser: Browser;
  let page: Page;
  let [port, tlsPort] = [0, 0];

  beforeAll(async () => {
    [port, tlsPort] = [await freePort(), await freePort()];
    pebble = await startPebble({ httpPort: port });
    await pebble.lead(name, ['127.0.0.77']);
    service = await startService({
      env: {
        ...nobody,
        MOORING_PUBLIC_URL: `https://${name}:${tlsPort}`,
        MOORING_PUBLIC_ADDRESSES: '127.0.0.1',
        MOORING_EDGE_PORT: String(port),
        MOORING_EDGE_TLS_PORT: String(tlsPort),
        MOORING_ACME_DIRECTORY: pebble.directory,
        MOORING_ACME_CA_FILE: pebble.caFile,
        MOORING_DNS_SERVERS: pebble.dnsServer,
        MOORING_LOG_LEVEL: 'warn',
      },
    });
    browser = await startBrowser([`--host-resolver-rules=MAP ${name} 127.0.0.1`]);
    // The browser does not know the authority of the test.
    page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await pebble?.stop();
  });

  const field = (label: string) => page.getByLabel(label, { exact: true });
  const picture = (what: string) => pictures({ page, complaints: [], close: async () => {} }, `dashboard-name-${what}`);
  const linksIn = (text: string) => text.match(/http\S+#code=\S+/g) ?? [];

  it('is set up by the address of the machine, with a note that the connection is not encrypted', async () => {
    const [first, second] = await until('the links are printed', () => {
      const links = linksIn(service.output());
      return links.length > 1 && links;
    }).then((links) => links as string[]);
    expect(first).toMatch(new RegExp(`^http://127.0.0.1:${port}/setup#code=`));
    expect(second).toMatch(new RegExp(`^http://${name}:${port}/setup#code=`));
    expect(service.output()).toContain(`The certificate of ${name} is not issued yet`);
    await until('the edge responds', () => fetch(`http://127.0.0.1:${port}/api/health`).then(({ ok }) => ok));
    await page.goto(first!);
    await page.getByText('This connection is not encrypted yet').waitFor();
    await page.getByText('127.0.0.77').waitFor({ timeout: 30_000 });
    await picture('setup');
    await field('Your name').fill('Ada Lovelace');
    await field('E-mail address').fill(email);
    await field('Password').fill(password);
    await page.getByRole('button', { name: 'Create owner' }).click();
    await page.getByRole('heading', { name: 'Deploy your first app' }).waitFor();
    await page.getByText('This connection is not encrypted yet').waitFor();
    await picture('overview');
  });

  it('leads to HTTPS when the certificate is issued', async () => {
    await pebble.lead(name, ['127.0.0.1']);
    await orderNow();
    await page.getByRole('button', { name: 'Continue with HTTPS' }).waitFor();
    await picture('issued');
    await page.getByRole('button', { name: 'Continue with HTTPS' }).click();
    await page.waitForURL(`https://${name}:${tlsPort}/sign-in**`);
    await field('E-mail address').fill(email);
    await field('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Deploy your first app' }).waitFor();
    expect(await page.getByText('not encrypted').count()).toBe(0);
    const [cookie] = await page.context().cookies(`https://${name}`);
    expect(cookie).toMatchObject({ name: '__Host-mooring_session', secure: true });
    const protocol = await page.evaluate(
      "performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/me')).nextHopProtocol",
    );
    expect(protocol).toBe('h2');
  });

  async function orderNow(): Promise<void> {
    const signedIn = await service.post('/api/auth/sign-in', { email, password }, {});
    const { data } = (await signedIn.json()) as { data: { sessionProof: string } };
    const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
    const headers = { cookie, 'x-session-proof': data.sessionProof };
    expect((await service.post('/api/deployments/ssl/renew', { domain: name }, headers)).status).toBe(200);
  }
});
