import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerEmail, ownerPassword, ownerToken } from '../../server/test/rig/app.ts';
import { type BadLine, startBadLine } from '../../server/test/rig/bad-line.ts';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { ensureProject, json, nodeApp } from '../../server/test/rig/deploy.ts';
import { type DockerService, startDockerService } from '../../server/test/rig/docker-service.ts';
import { type GitServer, startGitServer } from '../../server/test/rig/git-server.ts';
import { has } from '../../server/test/rig/parts.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { pictures } from './pictures.ts';

const cloudSettings = { MOORING_MODE: 'cloud', MOORING_ALLOW_PRIVATE_TARGETS: 'all', MOORING_LOG_LEVEL: 'warn' };

describe.runIf(has('chromium') && has('docker'))('the hosted cloud in a browser', () => {
  let rig: DockerService;
  let home: Service;
  let line: BadLine;
  let git: GitServer;
  let browser: Browser;
  let ada: Visitor;
  let shop: string;
  let address: string;

  beforeAll(async () => {
    const port = await freePort();
    git = await startGitServer();
    rig = await startDockerService({ ...cloudSettings, PORT: String(port) });
    line = await startBadLine(port);
    address = `http://127.0.0.1:${line.port}`;
    home = await startService({ env: { MOORING_LOG_LEVEL: 'warn' } });
    git.push('shop', nodeApp('v1'), 'First');
    shop = await ensureProject(home, 'shop', { source: { type: 'git', url: git.url('shop'), branch: 'main' } });
    browser = await startBrowser();
    ada = await signIn(home);
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await home?.stop();
    line?.stop();
    await rig?.close();
    await git?.stop();
  });

  async function signIn(service: Service): Promise<Visitor> {
    const who = await visit(browser, service.url);
    await who.page.goto('/sign-in');
    await who.page.getByLabel('E-mail address', { exact: true }).fill(ownerEmail);
    await who.page.getByLabel('Password', { exact: true }).fill(ownerPassword);
    await who.page.getByRole('button', { name: 'Sign in' }).click();
    await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
    return who;
  }
  async function joined(email: string, role: string): Promise<Visitor> {
    const { data } = await json<{ data: { url: string } }>(home.post('/api/invitations', { email, role }));
    const who = await visit(browser, home.url);
    await who.page.goto(data.url);
    await who.page.getByLabel('Your name', { exact: true }).fill('Grace');
    await who.page.getByLabel('Password', { exact: true }).fill(ownerPassword);
    await who.page.getByRole('button', { name: 'Create account and join' }).click();
    await who.page.getByRole('navigation', { name: 'Main' }).waitFor();
    return who;
  }
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name, exact: true });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const text = (what: string | RegExp, timeout = 15_000) => ada.page.getByText(what).first().waitFor({ timeout });
  const inDialog = (name: string) => ada.page.getByRole('alertdialog').getByRole('button', { name, exact: true });
  const inMain = (what: string) => ada.page.getByRole('main').getByText(what, { exact: true }).first();
  const open = (path: string) => ada.page.goto(path);

  it('is linked only with a valid token, and shows each error beside its field', async () => {
    await open(`/projects/${shop}`);
    await text('This machine');
    expect(await ada.page.getByRole('heading', { name: 'Cloud' }).count()).toBe(0);
    await open('/organization');
    await text('Not linked.');
    await pictures(ada, 'organization-unlinked');
    await button('Link a cloud').click();
    expect(await field('Access token').getAttribute('type')).toBe('password');
    await field('Address').fill('nonsense');
    await field('Access token').fill('short');
    await button('Link').click();
    await text('Access token must be an access token');
    await text('Address must be http:// or https://');
    await pictures(ada, 'link-wrong');
    await field('Address').fill('http://127.0.0.1:9');
    await field('Access token').fill(`mrg_pat_${'x'.repeat(43)}`);
    await button('Link').click();
    await text('Address is not a Mooring cloud');
    await pictures(ada, 'link-unreachable');
    await field('Address').fill(address);
    await button('Link').click();
    await text('the cloud rejects it');
    await field('Access token').fill(ownerToken);
    // Keyboard only.
    await ada.page.keyboard.press('Enter');
    await text('Reachable');
    await text(ownerEmail);
    expect(await ada.page.content()).not.toContain(ownerToken);
    await pictures(ada, 'organization-linked');
  }, 60_000);

  it('receives a project with a git source, lists what moves along, and opens the deployment', async () => {
    const folder = await ensureProject(home, 'folder');
    await open(`/projects/${folder}`);
    await text('It cannot go to the cloud: it is deployed from uploaded folders');
    expect(await button('Move to the cloud').count()).toBe(0);
    await pictures(ada, 'project-not-portable');
    await open(`/projects/${shop}`);
    await button('Move to the cloud').click();
    await text('Moved: its settings, variables and deploy key.');
    await pictures(ada, 'promote');
    line.cut = { afterBytes: 1, times: 4 };
    await inDialog('Move it').click();
    await text('a retry within ten minutes counts as the same one');
    await pictures(ada, 'promote-unreachable');
    delete line.cut;
    await inDialog('Move it').click();
    await ada.page.waitForURL(/deployments\/dep_/);
    await text('The hosted cloud');
    await inMain('Ready').waitFor({ timeout: 90_000 });
    await pictures(ada, 'deployment-in-cloud');
    await open('/');
    await inMain('Cloud').waitFor();
    await pictures(ada, 'overview-with-cloud');
    await open(`/projects/${shop}`);
    await text('This project runs in the cloud.');
    await pictures(ada, 'project-in-cloud');
    for (const tab of ['domains', 'traffic', 'volumes', 'services']) {
      await open(`/projects/${shop}/${tab}`);
      await text(`${address}/projects/${shop}`);
      expect(await button(/^Add /).count(), tab).toBe(0);
    }
    await pictures(ada, 'tab-in-cloud');
  }, 150_000);

  it("shows the organization's usage", async () => {
    const there = await signIn(rig.service);
    await there.page.goto('/organization');
    await there.page.getByRole('heading', { name: 'Limits' }).waitFor();
    await there.page.getByText('1 of 50', { exact: true }).waitFor();
    await there.page.getByText('512 MB of 8 GB', { exact: true }).waitFor();
    await pictures(there, 'limits');
    expect(there.complaints).toEqual([]);
    await there.close();
    expect(await ada.page.getByRole('heading', { name: 'Limits' }).count()).toBe(0);
  }, 30_000);

  it('can be linked by a setting, and can hang', async () => {
    const settings = { MOORING_CLOUD_URL: address, MOORING_CLOUD_TOKEN: ownerToken, MOORING_LOG_LEVEL: 'warn' };
    const other = await startService({ env: settings });
    const who = await signIn(other);
    await who.page.goto('/organization');
    await who.page.getByText('For the whole instance, by its settings').waitFor();
    await who.page.getByRole('button', { name: 'Use another account' }).waitFor();
    expect(await who.page.getByRole('button', { name: 'Unlink' }).count()).toBe(0);
    await pictures(who, 'organization-by-settings');
    line.freezeAfterBytes = 0;
    await who.page.reload();
    await who.page.getByText('Not working').waitFor({ timeout: 30_000 });
    await pictures(who, 'organization-hangs');
    delete line.freezeAfterBytes;
    expect(who.complaints).toEqual([]);
    await who.close();
    await other.stop();
  }, 90_000);

  it('is unreachable: shows a notice with a retry, never a broken page, and resumes following', async () => {
    git.hold();
    const begun = await json<{ data: { id: string } }>(home.post('/api/deployments', { projectId: shop }));
    await open(`/deployments/${begun.data.id}`);
    await text('The hosted cloud');
    line.cut = { afterBytes: 1, times: 1000 };
    await text('This is the last known state.', 30_000);
    expect(await ada.page.getByRole('alert').count(), 'said once').toBe(1);
    await pictures(ada, 'deployment-stale');
    await ada.page.reload();
    await text('Deployments there keep running.', 30_000);
    await pictures(ada, 'deployment-away');
    await open('/organization');
    await text('Not working', 30_000);
    await pictures(ada, 'organization-away');
    await open(`/projects/${shop}`);
    await text('You can still bring a project home.', 30_000);
    await pictures(ada, 'project-away');
    await open(`/deployments/${begun.data.id}`);
    await text('Deployments there keep running.', 30_000);
    delete line.cut;
    // Without a manual retry.
    await text('The hosted cloud', 30_000);
    line.cut = { afterBytes: 1, times: 1000 };
    await text('This is the last known state.', 30_000);
    delete line.cut;
    git.letGo();
    await inMain('Ready').waitFor({ timeout: 90_000 });
    expect(await ada.page.getByText('This is the last known state.').count()).toBe(0);
    await inMain('Clean up').waitFor();
  }, 240_000);

  it('says when the token is rejected, and where to link it again', async () => {
    const permissions = ['project:admin', 'deployment:admin', 'githost:read'];
    const made = await json<{ data: { id: string; token: string } }>(
      rig.service.post('/api/tokens', { name: 'link', permissions }),
    );
    await json(home.post('/api/cloud/link', { url: address, token: made.data.token }));
    const headers = { authorization: `Bearer ${ownerToken}` };
    await json(fetch(`${rig.service.url}/api/tokens/${made.data.id}`, { method: 'DELETE', headers }));
    const { data } = await json<{ data: { id: string }[] }>(home.get(`/api/deployments?projectId=${shop}`));
    await open(`/deployments/${data[0]!.id}`);
    await text('The cloud rejected our token');
    await pictures(ada, 'deployment-refused');
    await ada.page.getByRole('link', { name: 'link the cloud again' }).click();
    await button('Replace the link').click();
    await field('Access token').fill(ownerToken);
    await pictures(ada, 'link-replace');
    await button('Replace').click();
    await text('Reachable');
  }, 60_000);

  it('stays linked while it hosts a project; a viewer sees everything and can change nothing', async () => {
    await button('Unlink').click();
    await ada.page.getByRole('alertdialog').getByRole('link', { name: 'shop' }).waitFor();
    await inDialog('Unlink').click();
    await text('shop lives in the cloud; bring those projects home first');
    await pictures(ada, 'unlink-refused');
    await inDialog('Cancel').click();
    const grace = await joined('grace@example.org', 'viewer');
    await grace.page.goto('/organization');
    await grace.page.getByText('Reachable').waitFor();
    await pictures(grace, 'organization-viewer');
    for (const name of ['Unlink', 'Replace the link'])
      expect(await grace.page.getByRole('button', { name }).count(), name).toBe(0);
    await grace.page.goto(`/projects/${shop}`);
    await grace.page.getByText('This project runs in the cloud.').waitFor();
    expect(await grace.page.getByRole('button', { name: 'Bring it home' }).count()).toBe(0);
    await pictures(grace, 'project-viewer');
    expect(grace.complaints).toEqual([]);
    await grace.close();
  }, 60_000);

  it('shows a restricted member only the granted project', async () => {
    const grants = [{ resource: 'project', id: shop, actions: ['list', 'read'] }];
    const linus = await joined('linus@example.org', 'restricted');
    const { data: members } = await json<{ data: { id: string; email: string }[] }>(home.get('/api/members'));
    const { id } = members.find(({ email }) => email === 'linus@example.org')!;
    const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' };
    await json(
      fetch(`${home.url}/api/members/${id}/grants`, { method: 'PUT', headers, body: JSON.stringify({ grants }) }),
    );
    await linus.page.goto(`/projects/${shop}`);
    await linus.page.getByText('This project runs in the cloud.').waitFor();
    await pictures(linus, 'project-restricted');
    const { data } = await json<{ data: { id: string }[] }>(home.get(`/api/deployments?projectId=${shop}`));
    await linus.page.goto(`/deployments/${data[0]!.id}`);
    await linus.page.getByText('The hosted cloud').first().waitFor();
    await pictures(linus, 'deployment-restricted');
    expect(linus.complaints).toEqual([]);
    await linus.close();
  }, 60_000);

  it('returns the project, is cleaned up, and is unlinked', async () => {
    await open(`/projects/${shop}`);
    await button('Bring it home').click();
    await pictures(ada, 'bring-home');
    await inDialog('Bring it home').click();
    await ada.page.waitForURL(/deployments\/dep_/);
    await inMain('Ready').waitFor({ timeout: 90_000 });
    await text('This machine');
    await open(`/projects/${shop}`);
    await text('Still serves in the cloud');
    await pictures(ada, 'project-left');
    await button('Remove it from the cloud').click();
    await pictures(ada, 'remove-there');
    line.cut = { afterBytes: 1, times: 4 };
    await inDialog('Remove it there').click();
    await text('That cloud is gone for good');
    await pictures(ada, 'remove-there-away');
    delete line.cut;
    await inDialog('Remove it there').click();
    await text('This project runs here. You can move it to the cloud');
    await open('/organization');
    await button('Unlink').click();
    await pictures(ada, 'unlink');
    await inDialog('Unlink').click();
    await text('Not linked.');
    await open('/audit');
    await text('removed shop from the cloud');
    await pictures(ada, 'audit-cloud');
    expect(ada.complaints.filter((each) => !/status of 50[23]/.test(each))).toEqual([]);
  }, 150_000);

  it('is not mentioned by a cloud itself', async () => {
    const there = await signIn(rig.service);
    await there.page.goto('/organization');
    await there.page.getByRole('heading', { name: 'Leave' }).waitFor();
    expect(await there.page.getByRole('heading', { name: 'Cloud' }).count()).toBe(0);
    await pictures(there, 'organization-of-a-cloud');
    expect(there.complaints).toEqual([]);
    await there.close();
  }, 30_000);
});
