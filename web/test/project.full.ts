import { request } from 'node:http';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { selfSigned, signedBy } from '../../server/test/rig/certificate.ts';
import { deploy, ensureProject, folderOf, json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Pebble, startPebble } from '../../server/test/rig/pebble.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';
import { pictures } from './pictures.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
const markup = `<img src=x onerror="document.title='taken'">`;

/** Responds with the status in the path. */
const program = `require('node:http').createServer((q, r) => {
  r.statusCode = Number(q.url.slice(1)) || 200; r.end('hello');
}).listen(process.env.PORT, process.env.HOST)`;
const codes = [...Array.from({ length: 40 }, () => 200), 301, 301, 404, 404, 404, 500];
const app = () => folderOf({ 'package.json': '{"scripts":{"start":"node server.js"}}', 'server.js': program });

/** The texts that a viewer sees in each tab. */
const shownToViewer = [
  ['Deployments', 'Active'],
  ['Variables', 'No variables'],
  ['Domains', 'Redirects to shop.example.com'],
  ['Traffic', 'Successful 40'],
  ['Volumes', 'No volumes'],
  ['Services', '1 of 1 ready'],
] as const;

describe.runIf(has('chromium') && has('pebble'))('a project in a browser', () => {
  let service: Service;
  let pebble: Pebble;
  let browser: Browser;
  let ada: Visitor;
  let project: string;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    pebble = await startPebble({ httpPort: port });
    service = await startService({
      env: {
        MOORING_ADMIN_EMAIL: owner.email,
        MOORING_ADMIN_PASSWORD: owner.password,
        MOORING_EDGE_PORT: String(port),
        MOORING_ACME_DIRECTORY: pebble.directory,
        MOORING_ACME_CA_FILE: pebble.caFile,
        MOORING_DNS_SERVERS: pebble.dnsServer,
      },
    });
    await pebble.lead('lost.example.com', ['127.0.0.77']);
    await pebble.lead('unknown.example.com', []);
    project = await ensureProject(service, `Shop ${markup}`);
    browser = await startBrowser();
    ada = await visit(browser, service.url);
  }, 30_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await pebble?.stop();
  });

  const button = (name: string | RegExp) => ada.page.getByRole('button', { name });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const item = (name: string) => ada.page.getByRole('listitem', { name, exact: true });
  const choose = async (name: string, what: string) => {
    await button(`Actions for ${name}`).click();
    await ada.page.getByRole('menuitem', { name: what }).click();
  };
  const loaded = () =>
    ada.page.evaluate(() => performance.getEntriesByType('resource').some(({ name }) => /project-layout/.test(name)));

  const tab = async (name: string) => {
    await ada.page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name }).click();
    await ada.page.waitForURL(`**/${name.toLowerCase()}`);
  };

  async function add(name: string, redirectTo?: string): Promise<void> {
    await button('Add domain').click();
    await field('Name').fill(name);
    if (redirectTo) {
      await ada.page.getByText('Redirect to another domain').click();
      await field('Redirect to').fill(redirectTo);
    }
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
  }

  it('opens from the overview, and is not loaded before', async () => {
    await ada.page.goto('/sign-in');
    await field('E-mail address').fill(owner.email);
    await field('Password').fill(owner.password);
    await button('Sign in').click();
    const link = ada.page.getByRole('link', { name: `Shop ${markup}` });
    await link.waitFor();
    expect(await loaded()).toBe(false);
    await pictures(ada, 'overview');
    await link.click();
    await ada.page.getByRole('heading', { name: 'Not deployed yet' }).waitFor();
    expect(await loaded()).toBe(true);
    await pictures(ada, 'project-empty');
    await tab('Traffic');
    await ada.page.getByText('No requests in the last 24 hours').waitFor();
    await pictures(ada, 'project-traffic-empty');
    await tab('Domains');
    await ada.page.getByRole('heading', { name: 'No custom domains yet' }).waitFor();
    await pictures(ada, 'project-domains-empty');
  });

  it('adds domains, each with its remaining steps', async () => {
    await deploy(service, project, app());
    const { slug } = await dataOf<{ slug: string }>();
    for (const code of codes) await ask(`${slug}.localhost`, code);
    await ada.page.reload();
    await add('no name');
    await ada.page.getByText('is not a domain name').waitFor();
    await field('Name').fill('shop.example.com');
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click();
    await item('shop.example.com').getByText('Points here').waitFor();
    await item('shop.example.com').getByText('89 days left').waitFor();
    await item('shop.example.com').getByText('issued by Pebble').waitFor();
    await item('shop.example.com').getByText('Primary').waitFor();
    await add('www.example.com', 'shop.example.com');
    await item('www.example.com').getByText('Redirects to shop.example.com').waitFor();
    await add('unknown.example.com');
    await item('unknown.example.com').getByText('No DNS record', { exact: true }).waitFor();
    await add('lost.example.com');
    await item('lost.example.com').getByText('Action required').waitFor();
    await item('lost.example.com').getByText('Open port').waitFor();
    await choose('lost.example.com', 'Order certificate now');
    await item('lost.example.com').getByRole('alert').waitFor();
    await add('shop.example.com');
    await ada.page.getByText('already belongs to this project').waitFor();
    await pictures(ada, 'domain-add');
    await button('Cancel').click();
  });

  it('uploads a certificate, and shows its texts without interpreting markup', async () => {
    const authority = { ...selfSigned(markup), host: markup };
    const own = signedBy(authority, 'lost.example.com', 5);
    await choose('lost.example.com', 'Upload certificate');
    await field('Certificate').fill(own.cert);
    const key = { name: 'key.pem', mimeType: 'text/plain', buffer: Buffer.from(selfSigned('x').key) };
    await field('Private key: file').setInputFiles(key);
    await button('Upload certificate').click();
    await ada.page.getByText('does not match the certificate').waitFor();
    await pictures(ada, 'certificate-upload');
    await field('Private key').fill(own.key);
    await button('Upload certificate').click();
    await button('Done').click();
    await item('lost.example.com').getByText('4 days left').waitFor();
    await item('lost.example.com').getByText('onerror').waitFor();
    expect(await ada.page.locator('main img').count()).toBe(0);
  });

  it('counts requests by status class', async () => {
    await until('they are counted', async () => (await trafficOf()).totals.requests === codes.length, 20_000);
    await tab('Traffic');
    await ada.page.getByText('Successful 40').waitFor();
    await ada.page.getByText('Server errors 1', { exact: true }).waitFor();
    await ada.page.getByRole('radio', { name: 'the last hour' }).check({ force: true });
    await ada.page.getByText('Requests per minute').waitFor();
    expect(
      await ada.page
        .getByRole('img', { name: /Requests over time/ })
        .locator('g')
        .count(),
    ).toBe(60);
    await pictures(ada, 'project-traffic');
    await tab('Domains');
    await pictures(ada, 'project-domains');
  });

  it('is visible to a viewer, without any actions', async () => {
    const body = { email: 'grace@example.org', role: 'viewer' };
    const { data } = await json<{ data: { url: string } }>(service.post('/api/invitations', body));
    const grace = await visit(browser, service.url);
    const { page, complaints } = grace;
    await page.goto(data.url);
    await page.getByLabel('Your name', { exact: true }).fill('Grace');
    await page.getByLabel('Password', { exact: true }).fill(owner.password);
    await page.getByRole('button', { name: 'Create account and join' }).click();
    await page
      .getByRole('link', { name: `Shop ${markup}` })
      .first()
      .click();
    const offered = async () => {
      const buttons = await page.getByRole('main').getByRole('button').all();
      const titles = await Promise.all(
        buttons.map(async (each) => (await each.getAttribute('aria-label')) ?? each.textContent()),
      );
      return titles.filter((title) => !/^(Copy the|Replicas of|Show logs)/.test(title ?? ''));
    };
    await page.getByText('Healthy', { exact: true }).waitFor();
    expect(await offered()).toEqual([]);
    const tabs = page.getByRole('navigation', { name: 'Project' });
    for (const [title, shown] of shownToViewer) {
      await tabs.getByRole('link', { name: title }).click();
      await page.getByRole('main').getByText(shown).first().waitFor();
      expect(await offered(), title).toEqual([]);
    }
    expect(await tabs.getByRole('link', { name: 'Settings' }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await grace.close();
  });

  it('makes another domain primary, and removes one after a confirmation', async () => {
    await choose('unknown.example.com', 'Make primary');
    await item('unknown.example.com').getByText('Primary').waitFor();
    await until('it is the only one', async () => (await ada.page.getByText('Primary', { exact: true }).count()) === 1);
    await choose('unknown.example.com', 'Remove');
    await ada.page.getByText('are no longer served').waitFor();
    await pictures(ada, 'domain-remove');
    await button('Remove domain').click();
    await item('unknown.example.com').waitFor({ state: 'detached' });
    await ada.page.goto(`/projects/${project}`);
    await pictures(ada, 'project');
    await ada.page.getByRole('link', { name: /^Release / }).click();
    await ada.page.getByRole('heading', { name: /^Deployment/ }).waitFor();
    await ada.page
      .getByRole('main')
      .getByRole('link', { name: `Shop ${markup}` })
      .click();
    await tab('Domains');
    await item('shop.example.com').waitFor();
    await ada.page.goto('/projects/prj_unknown');
    await ada.page.getByRole('heading', { name: 'There is no such project here' }).waitFor();
    expect(ada.complaints).toEqual([]);
  });

  it('says that an app keeps crashing, and what a deletion does to its data', async () => {
    const dies = `require('node:http').createServer((q, r) => r.end('x')).listen(process.env.PORT, process.env.HOST);
      setTimeout(() => process.exit(7), 1500);`;
    const id = await ensureProject(service, 'Ephemeral');
    await json(service.post(`/api/projects/${id}/volumes`, { name: 'data', path: 'data' }));
    const source = folderOf({ 'package.json': '{"scripts":{"start":"node server.js"}}', 'server.js': dies });
    expect(await deploy(service, id, source)).toMatchObject({ status: 'ready' });
    await ada.page.goto(`/projects/${id}`);
    await ada.page.getByText(/^Keeps crashing: \d+ restarts$/).waitFor({ timeout: 60_000 });
    await pictures(ada, 'project-crashing');
    await ada.page.goto(`/projects/${id}/settings`);
    await button('Delete project').click();
    const kept = ada.page.getByText('only an administrator of the machine can reach it');
    await kept.waitFor();
    await pictures(ada, 'project-delete');
    await ada.page.getByText('Also delete its volume with all data').click();
    await kept.waitFor({ state: 'detached' });
    expect(ada.complaints).toEqual([]);
  }, 90_000);

  const dataOf = async <T>(below = ''): Promise<T> =>
    (await json<{ data: T }>(service.get(`/api/projects/${project}${below}`))).data;
  const trafficOf = () => dataOf<{ totals: { requests: number } }>('/traffic?window=1h');

  const ask = (host: string, code: number) =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, path: `/${code}`, headers: { host }, agent: false });
      sent.once('response', (answer) => answer.resume().once('end', resolve));
      sent.once('error', reject).end();
    });
});
