import { readFile } from 'node:fs/promises';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { ask, begin, ended, ensureProject, get, nodeApp } from '../../server/test/rig/deploy.ts';
import { newGate } from '../../server/test/rig/gate.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';
import { pictures } from './pictures.ts';

const owner = { email: 'ada@example.org', password: 'correct horse battery' };
const markup = `<img src=x onerror="document.title='taken'">`;
const gate = newGate();

/** Its build prints a hundred lines with colours and markup, then waits until the gate opens. */
const app = (version: string) => {
  const print = `for (let i = 0; i < 100; i++) console.log('module ' + i);
  console.log('\\u001b[31mred\\u001b[0m ' + ${JSON.stringify(markup)});`;
  const build = `if (process.argv[2] === 'build') { ${print} process.exit(); }`;
  return nodeApp(version, build, { build: `node server.js build && ${gate.wait}` });
};
const failing = () =>
  nodeApp('x', '', { build: `node -e "console.log('compiling'); throw new TypeError('no such module')"` });

type Styled = { getComputedStyle(element: unknown): { color: string } };
const colourOf = (shown: Locator) =>
  shown.evaluate((element) => (globalThis as unknown as Styled).getComputedStyle(element).color);

describe.runIf(has('chromium'))('deployments in a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;
  let shop: string;
  let first: string;
  let second: string;
  let url = '';

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    service = await startService({ env: { MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD } });
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    await ada.page.goto('/sign-in');
    await ada.page.getByLabel('E-mail address', { exact: true }).fill(owner.email);
    await ada.page.getByLabel('Password', { exact: true }).fill(owner.password);
    await button('Sign in').click();
    await ada.page.getByRole('navigation', { name: 'Main' }).waitFor();
    shop = await ensureProject(service, 'Shop', { releaseCommand: 'node -p 1+1' });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const text = (words: string | RegExp) => ada.page.getByText(words).first();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name });
  const log = () => ada.page.getByRole('log');
  const step = (name: string) => log().getByRole('button', { name: new RegExp(`^${name}`) });
  const open = (id: string) => ada.page.goto(`/deployments/${id}`);
  const confirm = (name: string) =>
    ada.page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();
  const choose = async (name: string) => {
    await button('Actions').click();
    await ada.page.getByRole('menuitem', { name: new RegExp(`^${name} `) }).click();
  };
  const idInAddress = () => new URL(ada.page.url()).pathname.split('/').at(-1)!;
  const newDeployment = async (before: string) => {
    await ada.page.waitForURL(
      (address) => address.pathname.startsWith('/deployments/') && !address.href.includes(before),
    );
    return idInAddress();
  };

  it('shows the log while the build runs, with colours and folds, and markup as text', async () => {
    first = await begin(service, shop, app('one'));
    await open(first);
    const red = log().getByText('red', { exact: true });
    await red.waitFor();
    expect(await colourOf(red)).not.toBe(await colourOf(log()));
    await log().getByText(markup).waitFor();
    expect(await ada.page.locator('main img').count()).toBe(0);
    await text('Live').waitFor();
    await text('Building').waitFor();
    // Only visible lines are in the page: the end of the log.
    await until('it follows', async () =>
      log().evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 40),
    );
    await step('Build').click();
    expect(await red.count()).toBe(0);
    await step('Build').click();
    await red.waitFor();
    await pictures(ada, 'deployment-building');
    // Scrolling up stops following.
    await log().evaluate((box) => box.scrollTo({ top: 0 }));
    await log().getByText('Unpacking the upload').waitFor();
    gate.open();
    await text('Ready').waitFor({ timeout: 30_000 });
    [url = ''] = (await ended(service, first)).urls;
    expect(await log().evaluate((box) => box.scrollTop)).toBe(0);
    await button('Jump to end').click();
    await step('Route traffic').getByText('Done').waitFor();
    await log().getByText('Serving at').waitFor();
  }, 60_000);

  it('searches, and saves the whole log as text', async () => {
    await ada.page.getByLabel('Search the log').fill('MODULE 9');
    await text('11 found').waitFor();
    await ada.page.keyboard.press('Enter');
    await text('1 of 11').waitFor();
    await ada.page.keyboard.press('Shift+Enter');
    await text('11 of 11').waitFor();
    await log().locator('mark').getByText('module 9').first().waitFor();
    const saving = ada.page.waitForEvent('download');
    await button('Download').click();
    const saved = await (await saving).path().then((path) => readFile(path, 'utf8'));
    const lines = saved.split('\n').filter((line) => / build: module \d+$/.test(line));
    expect(lines).toHaveLength(100);
    expect(saved).toContain(`build: red ${markup}\n`);
  });

  it('redeploys, and shows what changed since the previous release', async () => {
    await button('Redeploy').click();
    await text('Builds the source of this deployment again').waitFor();
    await confirm('Redeploy');
    second = await newDeployment(first);
    await text('Ready').waitFor({ timeout: 30_000 });
    await text('Active').waitFor();
    await text('Changes since the previous release').click();
    await text('Compared with').waitFor();
    await pictures(ada, 'deployment-ready');
    expect((await get(service, second)).active).toBe(true);
  }, 60_000);

  it('rolls back, pins and restarts', async () => {
    await open(first);
    await button('Roll back to this').click();
    await text('with the settings and variables it had then').waitFor();
    await text('The database and volumes are not rolled back: node -p 1+1 ran since this release.').waitFor();
    await pictures(ada, 'deployment-roll-back');
    await confirm('Roll back to this');
    const back = await newDeployment(first);
    await text('Ready').waitFor({ timeout: 30_000 });
    expect(await get(service, back)).toMatchObject({ active: true, rollbackOf: first });
    await choose('Pin');
    await text('Pinned').waitFor();
    await choose('Unpin');
    await choose('Restart');
    await confirm('Restart');
    await text('Restarting').waitFor();
    await until('it serves again', async () => (await ask(url).catch(() => undefined))?.status === 200);
  }, 60_000);

  it('jumps to the first error of a failed build', async () => {
    const id = await begin(service, shop, failing());
    await open(id);
    await text('Failed at build').waitFor({ timeout: 30_000 });
    await button('First error').click();
    const current = log().locator('[data-level=error]').filter({ hasText: 'TypeError: no such module' }).first();
    await until('it is chosen and visible', async () => /outline/.test((await current.getAttribute('class')) ?? ''));
    await step('Health check').getByText('Not run').waitFor();
    await pictures(ada, 'deployment-failing');
  }, 60_000);

  it('cancels a build', async () => {
    gate.close();
    const id = await begin(service, shop, app('three'));
    await open(id);
    await log().getByText('module 99').waitFor();
    await button('Cancel').click();
    await text('The previous release keeps serving').waitFor();
    await confirm('Cancel deployment');
    await text('Cancelled').waitFor({ timeout: 20_000 });
    expect((await ended(service, id)).status).toBe('cancelled');
    await choose('Delete');
    await confirm('Delete');
    await ada.page.waitForURL(/\/deployments$/);
    expect((await service.get(`/api/deployments/${id}`)).status).toBe(404);
  }, 60_000);

  it('lists the deployments of a project by status and environment, with the same actions', async () => {
    await ada.page.goto(`/projects/${shop}/deployments`);
    const rows = ada.page.getByRole('main').getByRole('listitem').filter({ hasText: 'production' });
    await until('all are listed', async () => (await rows.count()) === 4);
    await pictures(ada, 'deployments');
    await ada.page.getByLabel('Status', { exact: true }).selectOption('Failed');
    await until('one has failed', async () => (await rows.count()) === 1);
    expect(ada.page.url()).toContain('status=failed');
    await ada.page.reload();
    await until('the filter is kept', async () => (await rows.count()) === 1);
    await ada.page.getByRole('button', { name: /^Actions for/ }).click();
    await ada.page.getByRole('menuitem', { name: /^Redeploy / }).waitFor();
    await pictures(ada, 'deployments-menu');
    await ada.page.getByRole('menuitem', { name: /^Delete / }).click();
    await confirm('Delete');
    await text('No deployments match').waitFor();
    await button('Show all').click();
    await until('three are left', async () => (await rows.count()) === 3);
  });

  it('keeps the environment filter in the URL, also for the log of the running app', async () => {
    const staging = await ended(service, await begin(service, shop, nodeApp('two'), { environment: 'staging' }));
    expect(staging.error).toBeNull();
    await ada.page.goto(`/projects/${shop}/deployments`);
    await ada.page.getByLabel('Environment', { exact: true }).selectOption('staging');
    await ada.page.waitForURL(/environment=staging/);
    const rows = ada.page.getByRole('main').getByRole('link', { name: /dep_/ });
    await until('only that of staging is listed', async () => (await rows.count()) === 1);
    expect(await rows.innerText()).toContain(staging.id);
    await ada.page.goto(`/projects/${shop}/logs`);
    await log().getByText('listening, version one').first().waitFor();
    await ada.page.getByLabel('Search the log').fill('LISTENING');
    await until('both starts are marked', async () => (await log().locator('mark').count()) === 2);
    await pictures(ada, 'logs-tab');
    await ada.page.getByLabel('Environment', { exact: true }).selectOption('staging');
    await log().getByText('listening, version two').waitFor();
    await ada.page.reload();
    await log().getByText('listening, version two').waitFor();
    const saving = ada.page.waitForEvent('download');
    await button('Download').click();
    expect(await (await saving).path().then((path) => readFile(path, 'utf8'))).toMatch(/Z listening, version two/);
    expect(ada.complaints).toEqual([]);
  }, 60_000);
});
