import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { ask, begin, deploy, ended, ensureProject, folderOf, json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { pictures } from './pictures.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
const markup = `<img src=x onerror="document.title='taken'">`;

/** Writes one coloured line for each request. */
const app = () =>
  folderOf({
    'package.json': '{"scripts":{"start":"node server.js"}}',
    'server.js': `
const server = require('node:http').createServer((request, response) => {
  console.log('\\u001b[32mGET\\u001b[0m ' + request.url + ' ' + ${JSON.stringify(markup)});
  response.end('ok');
});
server.listen(process.env.PORT, process.env.HOST, () => console.log('listening ' + 'with a long line '.repeat(12)));
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
  });

describe.runIf(has('chromium'))('services in a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;
  let shop: string;
  let url = '';
  let notes: string;
  let notesRelease: string;

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    service = await startService({ env: { MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD } });
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    await signIn(ada, owner);
    shop = await ensureProject(service, 'Shop');
    notes = await ensureProject(service, 'Notes');
    await json(service.post(`/api/projects/${notes}/volumes`, { name: 'data', path: 'data' }));
    notesRelease = await begin(service, notes, app());
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const text = (words: string | RegExp) => ada.page.getByText(words).first();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name, exact: true });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const table = (who = ada) => who.page.getByRole('table', { name: 'Services', exact: true });
  const log = () => ada.page.getByRole('log');
  const open = (project: string, who = ada) => who.page.goto(`/projects/${project}/services`);
  const scaleTo = async (replicas: string) => {
    await field('Replicas').fill(replicas);
    await button(`Scale to ${replicas}`).click();
  };

  it('shows the deployed service with its replica', async () => {
    await open(shop);
    await text('No services are running').waitFor();
    const { error, urls } = await deploy(service, shop, app());
    expect(error).toBeNull();
    [url = ''] = urls;
    await table().getByText('1 of 1 ready').waitFor({ timeout: 20_000 });
    await button('Replicas of app').click();
    const replica = table().getByRole('row').filter({ hasText: 'Replica 1' });
    await replica.getByText('Running', { exact: true }).waitFor();
    await replica.getByText(/^port \d+$/).waitFor();
    await replica.getByText(/^\d+ MB$/).waitFor({ timeout: 30_000 });
    await pictures(ada, 'services-one');
  }, 60_000);

  it('scales it, with API errors beside the field', async () => {
    await button('Scale app').click();
    await text('A replica is one running copy of a service').waitFor();
    await scaleTo('51');
    await text(/^Replicas (must|is) /).waitFor();
    expect(await field('Replicas').evaluate((each) => each.matches(':focus'))).toBe(true);
    await pictures(ada, 'services-scale-error');
    await field('Replicas').fill('2');
    await button('One replica more').click();
    await pictures(ada, 'services-scale');
    // The number may be reached before the click returns.
    const progress = text(/^Scaling app to 3: \d of 3 replicas are ready\./).waitFor();
    await Promise.all([progress, button('Scale to 3').click()]);
    await pictures(ada, 'services-scaling');
    await text('app runs 3 replicas').waitFor({ timeout: 30_000 });
    await table().getByText('3 of 3 ready').waitFor();
    await table().getByRole('row').filter({ hasText: 'Replica 3' }).waitFor();
    await pictures(ada, 'services-three');
    type Scaled = { data: { replicas: number } };
    expect((await json<Scaled>(service.get(`/api/projects/${shop}`))).data.replicas).toBe(3);
  }, 60_000);

  it('follows the log of all replicas or of one, and pauses', async () => {
    await button('Show logs').click();
    await log().getByText('#3 listening').waitFor();
    await Promise.all(Array.from({ length: 9 }, (_, index) => ask(url, `/${index}`)));
    await log().getByText('GET /8').waitFor();
    // After more polls each line appears once, without colour codes and as text.
    for (let polls = 0; polls < 2; polls++) await ada.page.waitForResponse(/\/logs\?.*since=/);
    const lines = (await log().innerText()).split('\n').filter((line) => /GET \/\d/.test(line));
    const written = lines.map((line) => line.slice(line.indexOf('GET ')));
    expect(written).toHaveLength(9);
    expect(new Set(written)).toEqual(new Set(Array.from({ length: 9 }, (_, index) => `GET /${index} ${markup}`)));
    expect(await ada.page.locator('main img').count()).toBe(0);
    await pictures(ada, 'services-logs');
    await field('Replica of the log').selectOption('Replica 2');
    await log().getByText('listening').waitFor();
    expect(await log().getByText('listening').count()).toBe(1);
    await field('Replica of the log').selectOption('All replicas');
    await button('Pause').click();
    await ask(url, '/paused');
    await ada.page.waitForTimeout(2500);
    expect(await log().getByText('/paused').count()).toBe(0);
    await field('Wrap lines').click();
    await pictures(ada, 'services-logs-paused');
    await button('Resume').click();
    await log().getByText('/paused').waitFor();
  }, 60_000);

  it('shows a viewer the numbers, without any actions', async () => {
    const grace = await viewer();
    await open(shop, grace);
    await table(grace).getByText('3 of 3 ready').waitFor();
    expect(await grace.page.getByRole('button', { name: /^Scale/ }).count()).toBe(0);
    expect(grace.complaints).toEqual([]);
    await grace.close();
  });

  it('scales down by keyboard', async () => {
    await button('Scale app').focus();
    await ada.page.keyboard.press('Enter');
    await field('Replicas').press('ArrowDown');
    await field('Replicas').press('ArrowDown');
    await field('Replicas').press('Enter');
    await text('app runs 1 replica').waitFor({ timeout: 30_000 });
    await table().getByText('1 of 1 ready').waitFor();
  }, 60_000);

  it('says why only one replica is possible, and that a site has none', async () => {
    expect((await ended(service, notesRelease)).error).toBeNull();
    await open(notes);
    await button('Scale app').click();
    await scaleTo('2');
    await text(/^Replicas: app can have one replica only: it writes to the volume data/).waitFor();
    await pictures(ada, 'services-one-only');
    const site = await ensureProject(service, 'Site');
    await deploy(service, site, folderOf({ 'index.html': 'hello' }));
    await open(site);
    await text('A static site has no replicas: the edge serves its files.').waitFor();
    expect(await table().count()).toBe(0);
    await pictures(ada, 'services-site');
    expect(ada.complaints).toEqual([]);
  }, 60_000);

  async function signIn(who: Visitor, { email, password }: typeof owner): Promise<void> {
    await who.page.goto('/sign-in');
    await who.page.getByLabel('E-mail address', { exact: true }).fill(email);
    await who.page.getByLabel('Password', { exact: true }).fill(password);
    await who.page.getByRole('button', { name: 'Sign in' }).click();
    await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
  }

  async function viewer(): Promise<Visitor> {
    const body = { email: 'grace@example.org', role: 'viewer' };
    const made = await json<{ data: { url: string } }>(service.post('/api/invitations', body));
    const grace = await visit(browser, service.url);
    await grace.page.goto(made.data.url);
    await grace.page.getByLabel('Your name', { exact: true }).fill('Grace');
    await grace.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await grace.page.getByRole('button', { name: 'Create account and join' }).click();
    await grace.page.getByRole('navigation', { name: 'Main' }).waitFor();
    return grace;
  }
});
