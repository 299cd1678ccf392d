import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { ask, deploy, ensureProject, folderOf, json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { pictures } from './pictures.ts';

const unmounted = 'Unused data';
const owner = { email: 'ada@example.org', password: 'correct horse battery' };

/** Writes a line into `data/logs/lines` for each request. */
const app = () =>
  folderOf({
    'package.json': '{"scripts":{"start":"node server.js"}}',
    'server.js': `
const { appendFileSync, mkdirSync } = require('node:fs');
const server = require('node:http').createServer((request, response) => {
  mkdirSync('data/logs', { recursive: true });
  appendFileSync('data/logs/lines', request.url + '\\n');
  response.end('ok');
});
server.listen(process.env.PORT, process.env.HOST);
process.on('SIGTERM', () => server.close(() => process.exit(0)));`,
  });

describe.runIf(has('chromium'))('volumes in a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;
  let project: string;
  let url = '';

  beforeAll(async () => {
    const { email: MOORING_ADMIN_EMAIL, password: MOORING_ADMIN_PASSWORD } = owner;
    service = await startService({ env: { MOORING_ADMIN_EMAIL, MOORING_ADMIN_PASSWORD } });
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    await signIn(ada, owner);
    project = await ensureProject(service, 'Notes');
    [url = ''] = (await deploy(service, project, app())).urls;
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const text = (words: string | RegExp, who = ada) => who.page.getByText(words).first();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const dialog = () => ada.page.getByRole('dialog');
  const question = () => ada.page.getByRole('alertdialog');
  const table = (name: string, who = ada) => who.page.getByRole('table', { name, exact: true });
  const open = (who = ada) => who.page.goto(`/projects/${project}/volumes`);
  const choose = async (name: string, what: string, of = 'Volumes') => {
    await table(of)
      .getByRole('button', { name: `Actions for ${name}` })
      .click();
    await ada.page.getByRole('menuitem', { name: what }).click();
  };
  const volumes = async (query = '') =>
    (await json<{ data: object[] }>(service.get(`/api/projects/${project}/volumes${query}`))).data;
  const applyNow = async () => {
    await button('Apply now').click();
    await ada.page.waitForURL(/deployments/);
    await ada.page.getByText('Ready', { exact: true }).waitFor({ timeout: 30_000 });
    await open();
  };

  it('adds one, shows errors beside the field, and applies it without a build', async () => {
    await open();
    await text('Files that your app writes are lost with the next deployment').waitFor();
    await pictures(ada, 'volumes-empty');
    await button('Add volume').click();
    await field('Name').fill('data');
    await field('Path').fill('/srv/data');
    await dialog().getByRole('button', { name: 'Add volume' }).click();
    await text('Path must be relative to the folder of the app').waitFor();
    expect(await field('Path').evaluate((each) => each.matches(':focus'))).toBe(true);
    await dialog().getByText('Advanced', { exact: true }).click();
    await pictures(ada, 'volumes-add-error');
    await field('Path').fill('data');
    await dialog().getByRole('button', { name: 'Add volume' }).click();
    await table('Volumes').getByText('Mounted by the next deployment').waitFor();
    await pictures(ada, 'volumes-pending');
    await applyNow();
    await table('Volumes').getByText('In use').waitFor();
    expect(await volumes()).toMatchObject([{ name: 'data', path: 'data', inUse: true, pending: false }]);
  }, 60_000);

  it('browses its folders and downloads a file', async () => {
    await ask(url, '/one');
    await open();
    await choose('data', 'Browse files');
    await ada.page.getByRole('link', { name: 'logs' }).click();
    await table('Files').getByText('lines').waitFor();
    await pictures(ada, 'volumes-files');
    const [saved] = await Promise.all([ada.page.waitForEvent('download'), button('Download lines').click()]);
    expect(saved.suggestedFilename()).toBe('lines');
    expect(readFileSync(await saved.path(), 'utf8')).toContain('/one\n');
    await ada.page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'data' }).click();
    await ada.page.getByRole('link', { name: 'logs' }).waitFor();
    await ada.page.goto(`/projects/${project}/volumes/data?path=nothing`);
    await text('There is no such folder').waitFor();
  });

  it('changes the path, removes it while keeping the data, and restores it', async () => {
    await open();
    await choose('data', 'Change path');
    await field('Path').fill('../elsewhere');
    await button('Save changes').click();
    await text('Path must be a folder inside the app').waitFor();
    await field('Path').fill('files');
    await button('Save changes').click();
    await table('Volumes').getByText('Moves with the next deployment').waitFor();
    await choose('data', 'Remove');
    await pictures(ada, 'volumes-remove');
    await question().getByRole('button', { name: 'Remove volume' }).click();
    await table(unmounted).getByText('Mounted until the next deployment').waitFor();
    await pictures(ada, 'volumes-removed');
    await button('Undo').click();
    await table('Volumes').getByText('Moves with the next deployment').waitFor();
    expect(await table(unmounted).count()).toBe(0);
    await choose('data', 'Change path');
    await field('Path').fill('data');
    await button('Save changes').click();
    await table('Volumes').getByText('In use').waitFor();
  });

  it('shows a viewer everything, without any actions', async () => {
    const grace = await viewer();
    await open(grace);
    await table('Volumes', grace).getByText('In use').waitFor();
    expect(await grace.page.getByRole('button', { name: /Add volume|Apply now/ }).count()).toBe(0);
    await grace.page.getByRole('button', { name: 'Actions for data' }).click();
    expect(await grace.page.getByRole('menuitem').allTextContents()).toEqual(['Browse files']);
    expect(grace.complaints).toEqual([]);
    await grace.close();
  });

  it('mounts removed data again, and deletes data only after its name is typed', async () => {
    await choose('data', 'Remove');
    await question().getByRole('button', { name: 'Remove volume' }).click();
    await choose('data', 'Mount again', unmounted);
    await dialog().getByRole('button', { name: 'Mount again' }).click();
    await table('Volumes').getByText('In use').waitFor();
    for (const name of ['cache', 'spare']) await service.post(`/api/projects/${project}/volumes`, { name, path: name });
    // Data is kept only of volumes that a release has mounted.
    mkdirSync(join(service.dataDir, 'volumes', project, 'production', 'spare'), { recursive: true });
    await open();
    await choose('cache', 'Remove');
    await question().getByText('Delete the data too').click();
    const confirm = question().getByRole('button', { name: 'Remove and delete data' });
    await field('Type cache to confirm').fill('cach');
    expect(await confirm.isDisabled()).toBe(true);
    await pictures(ada, 'volumes-delete');
    await field('Type cache to confirm').fill('cache');
    await confirm.click();
    await text('cache and its data are deleted').waitFor();
    await choose('spare', 'Remove');
    await question().getByRole('button', { name: 'Remove volume' }).click();
    await table(unmounted).getByText('Not mounted').waitFor();
    await choose('spare', 'Delete data', unmounted);
    await field('Type spare to confirm').fill('spare');
    await question().getByRole('button', { name: 'Delete data' }).click();
    await text('The data of spare is deleted').waitFor();
    expect([await volumes(), await volumes('?orphans=true')]).toMatchObject([[{ name: 'data' }], []]);
    await ada.page.goto('/audit');
    await text('removed the volume cache of notes').waitFor();
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
