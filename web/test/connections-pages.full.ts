import { join as pathOf } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type Visitor } from '../../server/test/rig/browser.ts';
import { json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type RigS3, s3Key, startRigS3 } from '../../server/test/rig/s3.ts';
import { announcePush, type Connections, enterCode, join, signInOwner, startConnections } from './connections-rig.ts';
import { pictures } from './pictures.ts';

const markup = `<img src=x onerror="document.title='taken'">`;

describe.runIf(has('chromium'))('connections in a browser', () => {
  let rig: Connections;
  let s3: RigS3;
  let browser: Browser;
  let ada: Visitor;

  beforeAll(async () => {
    [rig, s3, browser] = await Promise.all([startConnections(), startRigS3(), startBrowser()]);
    ada = await signInOwner(browser, rig.service);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await rig?.stop();
    await s3?.stop();
  });

  const button = (name: string | RegExp, who = ada) => who.page.getByRole('button', { name, exact: true });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const text = (what: string | RegExp, who = ada) => who.page.getByText(what).first().waitFor();
  const heading = (name: string) => ada.page.getByRole('heading', { name, exact: true }).waitFor();
  const menu = async (label: string, item: string) => {
    await button(label).click();
    await ada.page.getByRole('menuitem', { name: item }).click();
  };
  const submit = (name: string) => ada.page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  const confirm = (name: string) =>
    ada.page.getByRole('alertdialog').getByRole('button', { name, exact: true }).click();
  const navigation = (who: Visitor) => who.page.getByRole('navigation', { name: 'Main' });

  it('adds, edits and deletes registries, and never shows a password', async () => {
    await navigation(ada).getByRole('link', { name: 'Registries' }).click();
    await heading('No registries yet');
    await button('Add registry').click();
    await submit('Add registry');
    await text('Address must be a host');
    await field('Address').fill('docker.io');
    await field('Username').fill(markup);
    await field('Password or access token').fill('dckr_pat_hidden');
    await submit('Add registry');
    await text('Docker Hub');
    await text(markup);
    await menu('Actions for docker.io', 'Edit');
    expect(await field('Password or access token').inputValue()).toBe('');
    await text('Stored. Leave empty to keep it.');
    await field('Username').fill('ada');
    await submit('Save changes');
    await text('Login for docker.io changed');
    await pictures(ada, 'registries');
    expect(await ada.page.content()).not.toContain('dckr_pat_hidden');
    await menu('Actions for docker.io', 'Delete');
    await confirm('Delete login');
    await heading('No registries yet');
  }, 30_000);

  it('tests a destination before it is saved, and says why a preflight fails', async () => {
    await navigation(ada).getByRole('link', { name: 'Backup destinations' }).click();
    await button('Add destination').click();
    await submit('Run preflight');
    await text('Bucket is required');
    await field('Name').fill('Nightly');
    await field('Bucket').fill(s3Key.bucket);
    await field('Endpoint').fill(s3.endpoint);
    await field('Access key ID').fill(s3Key.accessKeyId);
    await field('Secret access key').fill('wrong');
    await submit('Run preflight');
    await text('The secret access key does not match the access key ID.');
    await text('What to do:');
    await pictures(ada, 'destination-failed');
    expect(s3.objects.size).toBe(0);
    await field('Secret access key').fill(s3Key.secretAccessKey);
    await submit('Run preflight');
    await text('The preflight passed');
    const saved = () => json<{ data: object[] }>(rig.service.get('/api/backup-destinations'));
    expect((await saved()).data).toEqual([]);
    await submit('Add destination');
    const nightly = ada.page.getByRole('listitem', { name: 'Nightly' });
    await nightly.getByText('Passed', { exact: true }).waitFor();
    expect((await saved()).data).toMatchObject([{ name: 'Nightly', hasSecretAccessKey: true }]);
  }, 30_000);

  it('keeps stored secrets when left empty, and requires them again for another address', async () => {
    const nightly = ada.page.getByRole('listitem', { name: 'Nightly' });
    await menu('Actions for Nightly', 'Edit');
    await field('Path prefix').fill('shop');
    await submit('Save changes');
    await nightly.getByText('below shop').waitFor();
    await nightly.getByText('Passed', { exact: true }).waitFor();
    await menu('Actions for Nightly', 'Edit');
    await field('Endpoint').fill('https://s3.example.com');
    await text('Enter it again: the stored one belongs to the previous address.');
    await submit('Save changes');
    await text(/is required again when endpoint changes/);
    await submit('Cancel');
    await button('Add destination').click();
    await ada.page.getByText('Folder on this machine', { exact: true }).click();
    await field('Name').fill('Local copy');
    await field('Folder').fill(pathOf(rig.localRoot, 'missing'));
    await submit('Add destination');
    const local = ada.page.getByRole('listitem', { name: 'Local copy' });
    await local
      .getByText(/Failed|Passed/)
      .first()
      .waitFor();
    await pictures(ada, 'destinations');
    await menu('Actions for Local copy', 'Delete');
    expect(await button('Delete destination').isDisabled()).toBe(true);
    await field('Type Local copy to confirm').fill('Local copy');
    await confirm('Delete destination');
    await local.waitFor({ state: 'detached' });
  }, 30_000);

  it('connects the git host by a device code that survives a reload', async () => {
    await navigation(ada).getByRole('link', { name: 'Git' }).click();
    await heading('No git host connected');
    await pictures(ada, 'git-disconnected');
    await button('Connect GitHub').click();
    const code = await field('Code').innerText();
    await pictures(ada, 'git-device');
    await ada.page.reload();
    expect(await field('Code').innerText()).toBe(code);
    enterCode(rig.host, code);
    await text('Git host connected');
    const accounts = ada.page.getByRole('list', { name: 'Accounts' });
    for (const name of [/^octo/, /^team/]) await accounts.getByRole('link', { name }).waitFor();
  }, 30_000);

  it('lists repositories with their projects, and keeps the search in the URL', async () => {
    const source = { type: 'githost', owner: 'team', repo: 'shop' };
    await json(rig.service.post('/api/projects', { name: 'Shop', source, autoDeploy: true }));
    const rows = ada.page.getByRole('table', { name: 'Repositories' }).getByRole('row');
    await rows.filter({ hasText: 'team/shop' }).getByRole('link', { name: 'Shop', exact: true }).waitFor();
    await field('Search repositories').fill('sho');
    await rows.filter({ hasText: 'team/docs' }).waitFor({ state: 'detached' });
    expect(ada.page.url()).toContain('search=sho');
    await ada.page.reload();
    await rows.filter({ hasText: 'team/shop' }).waitFor();
    expect(await rows.count()).toBe(2);
    await pictures(ada, 'git-repositories');
    await ada.page.getByRole('link', { name: /^team\/shop/ }).click();
    await heading('team/shop');
  }, 30_000);

  it('registers the webhook, and lists and replays deliveries', async () => {
    await button('Register webhook').click();
    await text('Webhook of team/shop registered');
    await ada.page.getByText('Active', { exact: true }).waitFor();
    await pictures(ada, 'git-repository');
    expect(await announcePush(rig, 'team/shop', 'a'.repeat(40))).toBe(202);
    await ada.page.goto('/git/deliveries');
    const push = ada.page.getByRole('listitem').filter({ hasText: 'main @ aaaaaaa' });
    await push
      .getByText(/Handled|Ignored|Failed/)
      .first()
      .waitFor();
    await pictures(ada, 'git-deliveries');
    await push.getByRole('button', { name: /^Replay/ }).click();
    await text('Delivery is handled again');
    await push.getByRole('button', { name: /^Replay/ }).waitFor();
    await ada.page.goto('/audit?noun=githost');
    await text('replayed a webhook delivery of');
    await text('connected the git host as');
  }, 30_000);

  it('offers a restricted member no action that would be refused', async () => {
    const grants = [
      { resource: 'repository', id: 'team/shop', actions: ['read', 'list'] },
      { resource: 'repository', id: 'team/docs', actions: ['write'] },
    ];
    const joan = await join(browser, rig.service, { email: 'joan@example.org', role: 'restricted', grants });
    expect(await navigation(joan).getByRole('link', { name: 'Registries' }).count()).toBe(0);
    expect(await navigation(joan).getByRole('link', { name: 'Backup destinations' }).count()).toBe(0);
    await navigation(joan).getByRole('link', { name: 'Git' }).click();
    await joan.page.getByRole('link', { name: 'team/docs' }).waitFor();
    expect(await joan.page.getByText('octo/mine').count()).toBe(0);
    for (const name of ['New repository', 'Connection actions']) expect(await button(name, joan).count()).toBe(0);
    await joan.page.getByRole('link', { name: 'team/shop' }).click();
    await text('Push webhook', joan);
    expect(await button('Remove webhook', joan).count()).toBe(0);
    await joan.page.goto('/git/repositories/team/docs');
    await button('Register webhook', joan).waitFor();
    expect(joan.complaints).toEqual([]);
    await joan.close();
    expect(ada.complaints).toEqual([]);
  }, 40_000);
});
