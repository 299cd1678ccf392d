import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerEmail, ownerPassword } from '../../server/test/rig/app.ts';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { type Body, picky, web, worker } from '../../server/test/rig/cut-over.ts';
import { ensureProject, json } from '../../server/test/rig/deploy.ts';
import { makeImage, node } from '../../server/test/rig/docker-images.ts';
import { type ManagedServer, startManagedServer } from '../../server/test/rig/managed-server.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { pictures } from './pictures.ts';

const markup = `<img src=x onerror="document.title='taken'">`;
const compose = (service: string) => ({
  'com.docker.compose.project': 'shop',
  'com.docker.compose.service': service,
  'com.docker.compose.container-number': '1',
  'com.docker.compose.oneoff': 'False',
});

describe.runIf(has('chromium') && has('docker') && has('sshd'))('servers in a browser', () => {
  let machine: ManagedServer;
  let service: Service;
  let browser: Browser;
  let ada: Visitor;

  beforeAll(async () => {
    machine = await startManagedServer();
    await makeImage(machine.docker.client, node);
    service = await startService({
      env: { MOORING_START_TIMEOUT: '15', MOORING_RUNTIME: 'process', MOORING_SSH_TIMEOUT: '5' },
    });
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    await ada.page.goto('/sign-in');
    await field('E-mail address').fill(ownerEmail);
    await field('Password').fill(ownerPassword);
    await button('Sign in').click();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await machine?.close();
  });

  const button = (name: string | RegExp, exact = true) => ada.page.getByRole('button', { name, exact });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const text = (what: string | RegExp) => ada.page.getByText(what).first().waitFor();
  const heading = (name: string | RegExp, timeout = 10_000) =>
    ada.page.getByRole('heading', { name, exact: true }).waitFor({ timeout });
  const row = (name: string) => ada.page.getByRole('row').filter({ hasText: name });
  const found = (name: string) => ada.page.getByRole('listitem', { name, exact: true });
  const inDialog = (name: string) => ada.page.getByRole('alertdialog').getByRole('button', { name, exact: true });
  const badge = (title: string) => ada.page.getByRole('main').getByText(title, { exact: true }).first();

  async function run(name: string, body: Body): Promise<void> {
    const { client } = machine.docker;
    const path = `/containers/create?name=${name}`;
    const { Id } = await client.json<{ Id: string }>({ method: 'POST', path, body: { Image: node.name, ...body } });
    await client.json({ method: 'POST', path: `/containers/${Id}/start` });
  }

  it('starts empty, and adds one with a generated key', async () => {
    await ada.page.getByRole('link', { name: 'Servers' }).click();
    await heading('No servers yet');
    await pictures(ada, 'servers-empty');
    await button('Add server').click();
    await button('Add server').last().click();
    await text('Host must be');
    await pictures(ada, 'server-add');
    await field('Name').fill(`Quay ${markup}`);
    await field('Host').fill(machine.sshd.host);
    await field('SSH port').fill(String(machine.sshd.port));
    await ada.page.getByText('Domain and ports').click();
    await field('Base domain').fill('apps.example.com');
    await field('HTTP port').fill('8080');
    await field('HTTPS port').fill('8443');
    await button('Add server').last().click();
    await heading('Authorize this key');
    await heading('Not scanned yet');
    await pictures(ada, 'server-new');
    await button('Test connection').click();
    await text('The last test failed');
    await text('Check the user, and that the server accepts');
    await pictures(ada, 'server-not-let-in');
    machine.sshd.allow(await field('Line for authorized_keys').inputValue());
    await button('Test connection').click();
    await badge('Ready').waitFor();
    await heading('No containers');
    await pictures(ada, 'server-works');
    expect(await ada.page.getByRole('heading', { name: 'Authorize this key' }).count()).toBe(0);
  }, 60_000);

  it("reports a changed host key, and pins the new one with the server's credentials", async () => {
    await machine.sshd.changeHostKey();
    await button('Test connection').click();
    await text('The host key of the server has changed');
    await pictures(ada, 'server-host-key');
    await button('Pin the new host key').click();
    await pictures(ada, 'server-forget');
    await button('Pin and test').click();
    await heading('Authorize this key');
    machine.sshd.allow(await field('Line for authorized_keys').inputValue());
    await button('Test connection').click();
    await badge('Ready').waitFor();
  }, 60_000);

  it('shows the running containers without secrets, and creates a project from them', async () => {
    await run('shop-web', {
      ...web(18_080, 'shop-data', { labels: compose('web') }),
      Env: ['PORT=8080', 'DB_PASSWORD=correct-horse-battery', 'MODE=production'],
    });
    const writing =
      "require('fs').mkdirSync('/mail', { recursive: true }); require('fs').writeFileSync('/mail/box.db', 'x');";
    const Cmd = ['node', '-e', `${writing} setInterval(() => {}, 1000)`];
    await run('shop-mailer', { ...worker(), Cmd, Labels: compose('mailer') });
    await run('backup', { ...worker(), HostConfig: { Binds: ['/etc:/machine:ro'] } });
    await button('Scan again').click();
    await text('3 services');
    await found('shop/web').getByText('Details').click();
    await found('shop/web').getByText('DB_PASSWORD=').waitFor();
    expect(await ada.page.content()).not.toContain('correct-horse-battery');
    await found('backup').getByText('Host access', { exact: true }).waitFor();
    await found('backup').getByRole('checkbox').click();
    await text('1 service selected');
    await button('Create a project').click();
    await button('Create project').click();
    await text('Confirm above that you trust these services');
    await pictures(ada, 'adopt-trust');
    await button('Cancel').click();
    await button('Clear').click();
    await button(/Select all 2/, false).click();
    await pictures(ada, 'server-scan');
    await button('Create a project').click();
    expect(await field('Project name').inputValue()).toBe('shop');
    await pictures(ada, 'adopt');
    await button('Create project').click();
    await heading('shop created');
    await pictures(ada, 'adopted');
    await button('Go to the project').click();
    await heading('shop');
    await badge('Adopted').waitFor();
    await row('mailer').getByText('without downtime').waitFor();
    await row('web').getByText('with downtime').waitFor();
    await pictures(ada, 'project-adopted');
  }, 60_000);

  const project = () => ada.page.url();

  it('cuts over, rolls back, cuts over again and confirms', async () => {
    const address = project();
    const cutOver = async () => {
      await button('Cut over').click();
      await ada.page.getByRole('alertdialog').getByText('With downtime').waitFor();
      await pictures(ada, 'cut-over');
      await inDialog('Cut over').click();
      await heading('Deployment of shop');
      await pictures(ada, 'cut-over-running');
      await ada.page.locator('main header').getByText('Ready', { exact: true }).waitFor({ timeout: 60_000 });
    };
    await cutOver();
    await ada.page.getByRole('link', { name: /Quay/ }).waitFor();
    await pictures(ada, 'cut-over-done');
    await ada.page.goto(address);
    await badge('Cut over').waitFor();
    await row('web').getByText('Stopped and kept').waitFor();
    await pictures(ada, 'project-switched');
    await machine.sshd.switchOff();
    await button('Undo').click();
    await inDialog('Undo').click();
    await ada.page.getByRole('alertdialog').getByRole('alert').waitFor({ timeout: 30_000 });
    await pictures(ada, 'undo-failed');
    await inDialog('Cancel').click();
    await machine.sshd.switchOn();
    await button('Undo').click();
    await pictures(ada, 'undo');
    await inDialog('Undo').click();
    await text(/Restored: shop-(web|mailer), shop-(web|mailer)/);
    await badge('Undone').waitFor();
    await row('web').getByText('Running', { exact: true }).waitFor();
    await pictures(ada, 'project-undone');
    await cutOver();
    await ada.page.goto(address);
    await button('Confirm').click();
    await pictures(ada, 'confirm');
    await inDialog('Remove them').click();
    await ada.page.getByText('Do it anyway').click();
    await pictures(ada, 'confirm-refused');
    await inDialog('Remove them').click();
    await badge('Confirmed').waitFor({ timeout: 30_000 });
    await row('web').getByText('Removed').waitFor();
    await pictures(ada, 'project-confirmed');
  }, 180_000);

  it('says when only some services could be replaced', async () => {
    const here = project();
    await run('fussy', picky(18_081, 'fussy-data'));
    await run('helper', worker());
    const { data } = await json<{ data: { id: string }[] }>(service.get('/api/servers'));
    const body = { serverId: data[0]!.id, projectName: 'Half', serviceNames: ['fussy', 'helper'] };
    const { project_id } = await json<{ project_id: string }>(service.post('/api/migration/adopt', body));
    await ada.page.goto(`/projects/${project_id}`);
    await button('Cut over').click();
    await inDialog('Cut over').click();
    await heading('Action required', 60_000);
    await ada.page.goto(`/projects/${project_id}`);
    await ada.page.getByRole('link', { name: 'A deployment needs a decision' }).click();
    await button('Keep').click();
    await text('Deployment kept');
    await ada.page.goto(`/projects/${project_id}`);
    await text('Some services still run in their original containers');
    await button('Cut over the rest').waitFor();
    await row('helper').getByText('Stopped and kept').waitFor();
    await row('fussy').getByText('Running', { exact: true }).waitFor();
    await pictures(ada, 'project-half');
    await ada.page.goto(here);
  }, 150_000);

  it('can be selected for a project before its first deployment', async () => {
    const here = project();
    await ada.page.goto(`/projects/${await ensureProject(service, 'Later')}`);
    await text('This machine');
    await button('Change where it runs').click();
    await field('Server').selectOption({ index: 1 });
    await pictures(ada, 'move');
    await button('Save').click();
    await ada.page.getByRole('link', { name: /Quay/ }).waitFor();
    await ada.page.goto(here);
  }, 30_000);

  it('cannot be removed while it has projects, which are listed', async () => {
    await ada.page.getByRole('link', { name: /Quay/ }).click();
    await ada.page.getByRole('main').getByRole('link', { name: 'shop' }).waitFor();
    await ada.page.getByRole('region', { name: 'Managed by Mooring' }).getByText('mailer').first().waitFor();
    await pictures(ada, 'server-managed');
    await button(/Actions for Quay/, false).click();
    await ada.page.getByRole('menuitem', { name: 'Remove' }).click();
    for (const name of ['shop', 'Half', 'Later'])
      await ada.page.getByRole('alertdialog').getByRole('link', { name }).waitFor();
    await inDialog('Remove server').click();
    await ada.page.getByRole('alertdialog').getByRole('alert').waitFor();
    await pictures(ada, 'server-remove');
    await inDialog('Cancel').click();
  }, 30_000);

  it('is edited, and says why it is unreachable', async () => {
    await button(/Actions for Quay/, false).click();
    await ada.page.getByRole('menuitem', { name: 'Edit' }).click();
    await field('Name').fill('Quay');
    await ada.page.getByText('Your own private key').click();
    await field('Private key').fill('nonsense');
    await button('Save changes').click();
    await text('Private key is not valid');
    await pictures(ada, 'server-edit');
    await field('Host').fill('203.0.113.7');
    await text('The stored credentials belong to');
    expect(await ada.page.getByText('Stored credentials', { exact: true }).count()).toBe(0);
    await pictures(ada, 'server-edit-moved');
    await field('Host').fill(machine.body.host);
    await ada.page.getByText('Stored credentials', { exact: true }).click();
    await button('Save changes').click();
    await heading('Quay');
    await machine.sshd.switchOff();
    await button('Scan again').click();
    await text(/could not be inspected/);
    await pictures(ada, 'scan-failed');
    await ada.page.getByRole('link', { name: 'Servers' }).click();
    await button('Actions for Quay').click();
    await ada.page.getByRole('menuitem', { name: 'Test connection' }).click();
    await badge('Unreachable').waitFor();
    await pictures(ada, 'servers');
    await machine.sshd.switchOn();
  }, 60_000);

  it('shows a viewer everything without actions, and is hidden from people without access', async () => {
    for (const [email, role] of [
      ['grace@example.org', 'viewer'],
      ['joan@example.org', 'restricted'],
    ] as const) {
      const made = service.post('/api/invitations', { email, role });
      const { data } = await json<{ data: { url: string } }>(made);
      const who = await visit(browser, service.url);
      await who.page.goto(data.url);
      await who.page.getByLabel('Your name', { exact: true }).fill(role);
      await who.page.getByLabel('Password', { exact: true }).fill(ownerPassword);
      await who.page.getByRole('button', { name: 'Create account and join' }).click();
      await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(await who.page.getByRole('link', { name: 'Servers' }).count()).toBe(role === 'viewer' ? 1 : 0);
      await who.page.goto('/servers');
      if (role === 'viewer') {
        await who.page.getByRole('link', { name: /Quay/ }).click();
        await who.page.getByRole('heading', { name: 'Connection' }).waitFor();
        expect(await who.page.getByRole('main').getByRole('button').count()).toBe(0);
      }
      await pictures(who, `server-for-${role}`);
      expect(who.complaints).toEqual([]);
      await who.close();
    }
    await ada.page.goto('/servers/srv_unknown');
    await heading('Server not found');
    await ada.page.goto('/audit');
    await text('confirmed the cut-over of');
    expect(ada.complaints.filter((each) => !/status of 502/.test(each))).toEqual([]);
  }, 60_000);
});
