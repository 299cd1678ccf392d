import { generateKeyPairSync } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type Visitor } from '../../server/test/rig/browser.ts';
import { json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Sshd, startSshd } from '../../server/test/rig/sshd.ts';
import { type Connections, join, signInOwner, startConnections } from './connections-rig.ts';
import { pictures } from './pictures.ts';

describe.runIf(has('chromium'))('connections in a browser, full flows', () => {
  let browser: Browser;
  let rig: Connections | undefined;
  let ada: Visitor;

  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterEach(async () => {
    await ada?.close();
    await rig?.stop();
    rig = undefined;
  });
  afterAll(() => browser?.close());

  const start = async (...client: Parameters<typeof startConnections>): Promise<Connections> => {
    rig = await startConnections(...client);
    ada = await signInOwner(browser, rig.service);
    return rig;
  };
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name, exact: true });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const text = (what: string | RegExp) => ada.page.getByText(what).first().waitFor();
  const inDialog = (name: string) =>
    ada.page.locator('[role=dialog], [role=alertdialog]').getByRole('button', { name, exact: true });
  const menu = async (label: string | RegExp, item: string) => {
    await button(label).click();
    await ada.page.getByRole('menuitem', { name: item }).click();
  };

  /** Signs in at the git host in the tab that the dialog opens. */
  async function connectByRedirect({ host }: Connections): Promise<void> {
    await ada.page.goto('/git');
    await button('Connect GitHub').click();
    const link = ada.page.getByRole('dialog').getByRole('link', { name: /^Open / });
    const url = (await link.getAttribute('href'))!;
    await pictures(ada, 'git-redirect');
    const tab = await ada.page.context().newPage();
    await tab.goto((await host.gaps.signIns.agree(url, 'octo')).href);
    await tab.getByRole('heading', { name: 'Connected' }).waitFor();
    await tab.close();
    await text('Git host connected');
  }

  it('connects by a redirect, creates and deletes a repository, and disconnects', async () => {
    const connections = await start('secret');
    await connectByRedirect(connections);
    await button('New repository').click();
    await field('Name').fill('new site');
    await inDialog('Create repository').click();
    await text('Name must be letters, digits');
    await field('Name').fill('new-site');
    await pictures(ada, 'git-create');
    await inDialog('Create repository').click();
    await text(/created$/);
    await menu(/^Actions for .*new-site$/, 'Delete repository');
    expect(await inDialog('Delete repository').isDisabled()).toBe(true);
    await ada.page.getByLabel(/^Type .*new-site to confirm$/).fill('octo/new-site');
    await pictures(ada, 'git-delete');
    await inDialog('Delete repository').click();
    await text('octo/new-site deleted');
    await menu('Connection actions', 'Disconnect');
    await pictures(ada, 'git-disconnect');
    await inDialog('Disconnect').click();
    await ada.page.getByRole('heading', { name: 'No git host connected' }).waitFor();
    expect(ada.complaints).toEqual([]);
  }, 90_000);

  it('shows the command to run in a terminal', async () => {
    await start('none');
    await ada.page.goto('/git');
    await button('Use gh on this machine').click();
    expect(await field('Command').inputValue()).toContain('gh auth login');
    await pictures(ada, 'git-terminal');
    await inDialog('I have signed in').click();
    await field('Command').waitFor();
    await inDialog('Cancel').click();
    expect(ada.complaints).toEqual([]);
  }, 60_000);

  it('shows a viewer everything, without any actions', async () => {
    const connections = await start('secret');
    await connectByRedirect(connections);
    const registry = { address: 'ghcr.io', username: 'ada', password: 'hidden' };
    await json(connections.service.post('/api/registries', registry));
    const local = { name: 'Nightly', kind: 'local', endpoint: connections.localRoot };
    await json(connections.service.post('/api/backup-destinations', local));
    const grace = await join(browser, connections.service, { email: 'grace@example.org', role: 'viewer' });
    const main = grace.page.getByRole('main');
    for (const [path, shown] of [
      ['/git', 'team/shop'],
      ['/git/deliveries', 'No deliveries yet'],
      ['/registries', 'GitHub Container Registry'],
      ['/backup-destinations', 'Nightly'],
    ] as const) {
      await grace.page.goto(path);
      await main.getByText(shown).first().waitFor();
      expect(await main.getByRole('button').count()).toBe(0);
    }
    await grace.page.goto('/git/repositories/team/shop');
    await main.getByText('No push webhook').waitFor();
    const labels = await main.getByRole('button').evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(labels).toEqual(['Copy the clone URL']);
    expect(grace.complaints).toEqual([]);
    await grace.close();
  }, 90_000);

  describe.runIf(has('sshd'))('with a real SSH server', () => {
    let sshd: Sshd;
    beforeAll(async () => {
      sshd = await startSshd();
    });
    afterAll(() => sshd?.stop());

    it('says why an SFTP destination fails, and clears a stored password', async () => {
      await start();
      await ada.page.goto('/backup-destinations?add=true');
      await ada.page.getByText('SFTP server', { exact: true }).click();
      await field('Name').fill('Storage box');
      await field('Host').fill(sshd.host);
      await field('Port').fill(String(sshd.port));
      await field('User').fill('root');
      await inDialog('Run preflight').click();
      await text(/^One of .* is required\.$/);
      const { privateKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      });
      await field('Private key').fill(privateKey);
      await inDialog('Run preflight').click();
      await text('The preflight failed');
      await pictures(ada, 'destination-sftp');
      await field('Password').fill('wrong');
      await inDialog('Add destination').click();
      const box = ada.page.getByRole('listitem', { name: 'Storage box' });
      await box.getByText('Failed', { exact: true }).waitFor();
      await menu('Actions for Storage box', 'Edit');
      await ada.page.getByText('Remove the stored password').click();
      await inDialog('Save changes').click();
      await text('Storage box changed');
      type Stored = { data: { hasSftpPassword: boolean; hasSftpPrivateKey: boolean }[] };
      const { data } = await json<Stored>(rig!.service.get('/api/backup-destinations'));
      expect(data).toMatchObject([{ hasSftpPassword: false, hasSftpPrivateKey: true }]);
      expect(ada.complaints).toEqual([]);
    }, 90_000);

    it('adds a destination on a server, and says that the server is in use', async () => {
      const { service } = await start();
      const server = { name: 'Quay', host: sshd.host, port: sshd.port, user: sshd.user, generateKey: true };
      const { data } = await json<{ data: { id: string; publicKey: string } }>(service.post('/api/servers', server));
      sshd.allow(data.publicKey);
      await ada.page.goto('/backup-destinations?add=true');
      await ada.page.getByText('One of your servers', { exact: true }).click();
      await field('Name').fill('On the quay');
      await field('Server').selectOption('Quay');
      await inDialog('Run preflight').click();
      await text('The preflight passed');
      await inDialog('Add destination').click();
      const item = ada.page.getByRole('listitem', { name: 'On the quay' });
      await item.getByText('Passed', { exact: true }).waitFor();
      await item.getByRole('link', { name: 'Quay' }).click();
      await ada.page.waitForURL(new RegExp(data.id));
      await menu('Actions for Quay', 'Remove');
      await inDialog('Remove server').click();
      await text(/backup destinations are on this server: On the quay/i);
      expect(ada.complaints).toEqual([]);
    }, 90_000);
  });
});
