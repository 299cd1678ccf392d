import type { Browser, Locator } from 'playwright-core';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { ensureProject, folderOf, json } from '../../server/test/rig/deploy.ts';
import { type Pebble, startPebble } from '../../server/test/rig/pebble.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
/** The authority refuses to issue for it. */
export const blocked = 'blocked.example.com';
export const publicAddress = '203.0.113.7';

/** An app that responds to every request. */
export const app = () =>
  folderOf({
    'package.json': '{"scripts":{"start":"node server.js"}}',
    'server.js': `require('node:http').createServer((q, r) => r.end('hello')).listen(process.env.PORT, process.env.HOST)`,
  });

/** The product with a certificate authority, and a signed-in person on a project's page. */
export interface DomainRig {
  service: Service;
  pebble: Pebble;
  ada: Visitor;
  edgePort: number;
  project: string;
  /** Creates another project with these domains, and opens it. */
  open(name: string, ...domains: { name: string; [field: string]: unknown }[]): Promise<void>;
  button(name: string | RegExp): Locator;
  field(name: string): Locator;
  item(name: string): Locator;
  /** Chooses an entry of a domain's menu. */
  choose(name: string, what: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startDomainRig(): Promise<DomainRig> {
  const edgePort = await freePort();
  const pebble = await startPebble({ httpPort: edgePort, blocked: [blocked], sleep: 2 });
  const service = await startService({ env: settings(edgePort, pebble) });
  const browser: Browser = await startBrowser();
  const ada = await visit(browser, service.url);
  const { page } = ada;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await page.goto('/sign-in');
  await field('E-mail address').fill(owner.email);
  await field('Password').fill(owner.password);
  await button('Sign in').click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  const rig: DomainRig = {
    service,
    pebble,
    ada,
    edgePort,
    project: '',
    async open(name, ...domains) {
      rig.project = await ensureProject(service, name);
      for (const domain of domains) await json(service.post(`/api/projects/${rig.project}/domains`, domain));
      await page.goto(`/projects/${rig.project}/domains`);
      await page.getByRole('heading', { name }).waitFor();
    },
    button,
    field,
    item: (name) => page.getByRole('listitem', { name, exact: true }),
    async choose(name, what) {
      await button(`Actions for ${name}`).click();
      await page.getByRole('menuitem', { name: what }).click();
    },
    async stop() {
      await browser.close();
      await service.stop();
      await pebble.stop();
    },
  };
  return rig;
}

const settings = (edgePort: number, pebble: Pebble) => ({
  MOORING_ADMIN_EMAIL: owner.email,
  MOORING_ADMIN_PASSWORD: owner.password,
  MOORING_EDGE_PORT: String(edgePort),
  MOORING_PUBLIC_ADDRESSES: `${publicAddress},2001:db8::7`,
  MOORING_ACME_DIRECTORY: pebble.directory,
  MOORING_ACME_CA_FILE: pebble.caFile,
  MOORING_DNS_SERVERS: pebble.dnsServer,
});
