import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { folderOf } from '../../server/test/rig/deploy.ts';
import { startGitServer } from '../../server/test/rig/git-server.ts';
import { has } from '../../server/test/rig/parts.ts';
import { freePort } from '../../server/test/rig/ports.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';
import { pictures } from './pictures.ts';

const nobody = { MOORING_ADMIN_EMAIL: '', MOORING_ADMIN_PASSWORD: '', MOORING_ADMIN_TOKEN: '' };
const password = 'correct horse battery';

describe.runIf(has('chromium'))('the dashboard in a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;
  let setupLink: string;
  let invitationLink: string;

  beforeAll(async () => {
    service = await startService({ env: nobody });
    browser = await startBrowser();
    ada = await visit(browser, service.url);
    setupLink = (await until('the link is printed', () => /http\S+#code=\S+/.exec(service.output())?.[0]))!;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const button = (who: Visitor, name: string) => who.page.getByRole('button', { name });
  const field = (who: Visitor, name: string) => who.page.getByLabel(name, { exact: true });
  const heading = (who: Visitor, name: string | RegExp) => who.page.getByRole('heading', { name }).waitFor();

  it('explains the first step, and creates the owner by the setup link', async () => {
    await ada.page.goto('/tokens');
    await ada.page.waitForURL(/sign-in/);
    await ada.page.getByText('Almost there').waitFor();
    await ada.page.goto('about:blank');
    ada.complaints.length = 0;
    await ada.page.goto(setupLink);
    await field(ada, 'Your name').fill('Ada Lovelace');
    await field(ada, 'E-mail address').fill('nope');
    await field(ada, 'Password').fill(password);
    await button(ada, 'Create owner').click();
    await ada.page.getByText('must be an e-mail address').waitFor();
    await field(ada, 'E-mail address').fill('ada@example.org');
    await ada.page.getByLabel('Organization').fill('Harbour Works');
    await button(ada, 'Create owner').click();
    await heading(ada, 'Deploy your first app');
  });

  it('stays signed in across a reload and tabs, and an app on the same host cannot use its cookie', async () => {
    await ada.page.reload();
    await heading(ada, 'Deploy your first app');
    const stolen: string[] = [];
    const app = createServer((request, response) => {
      stolen.push(request.headers.cookie ?? '');
      response.end('<script>document.title = Object.keys(localStorage).length</script>');
    });
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void app.close());
    const other = await ada.page.context().newPage();
    await other.goto(`http://127.0.0.1:${(app.address() as AddressInfo).port}/`);
    expect(stolen[0], 'browsers send the cookie to every port').toMatch(/mooring_session=\S{43}/);
    expect(await other.title(), 'but not the storage').toBe('0');
    const headers = { cookie: stolen[0]!, 'content-type': 'application/json' };
    const tokens = { method: 'POST', headers, body: JSON.stringify({ name: 'stolen', permissions: '*' }) };
    const answers = [
      await fetch(`${service.url}/api/me`, { headers }),
      await fetch(`${service.url}/api/members`, { headers }),
      await fetch(`${service.url}/api/tokens`, tokens),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
    await other.goto(`${service.url}/tokens`);
    await other.getByRole('button', { name: 'New token' }).waitFor();
    await other.close();
  });

  it('creates a token that is shown once and works, and revokes it', async () => {
    await ada.page.goto('/tokens');
    await button(ada, 'New token').click();
    await field(ada, 'Name').fill('Release pipeline');
    await ada.page.getByText('Selected permissions').click();
    await ada.page.getByRole('checkbox', { name: 'Members: read' }).click();
    await button(ada, 'Create token').click();
    const token = await ada.page.getByRole('textbox', { name: 'Access token' }).inputValue();
    expect(token).toMatch(/^mrg_pat_/);
    // The token cannot be shown again, so neither Escape nor a click outside closes the dialog.
    await ada.page.keyboard.press('Escape');
    await ada.page.mouse.click(5, 5);
    await button(ada, 'Done').click();
    const me = () => service.get('/api/me', { authorization: `Bearer ${token}` });
    expect((await me()).status).toBe(200);
    await ada.page.reload();
    await ada.page.getByText('Release pipeline').waitFor();
    expect(await ada.page.content()).not.toContain(token);
    await button(ada, 'Revoke').click();
    await ada.page
      .getByRole('alertdialog')
      .getByRole('button', { name: /Revoke/ })
      .click();
    await ada.page.getByText('No tokens yet').waitFor();
    expect((await me()).status).toBe(401);
  });

  it('invites a member, who joins in another browser and sees only permitted actions', async () => {
    await ada.page.goto('/members');
    await button(ada, 'Invite somebody').click();
    await field(ada, 'E-mail address').fill('grace@example.org');
    await button(ada, 'Create invitation link').click();
    invitationLink = await ada.page.getByRole('textbox', { name: 'Link' }).inputValue();
    await button(ada, 'Done').click();
    const grace = await visit(browser, service.url, 'dark');
    await grace.page.goto(invitationLink);
    await heading(grace, /Join Harbour Works/);
    await field(grace, 'Your name').fill('Grace Hopper');
    await field(grace, 'Password').fill(password);
    await button(grace, 'Create account and join').click();
    await grace.page.getByRole('navigation', { name: 'Main' }).waitFor();
    await grace.page.goto('/members');
    await grace.page.getByText('ada@example.org').waitFor();
    expect(await button(grace, 'Invite somebody').count()).toBe(0);
    await grace.page.goto('/organization');
    await button(grace, 'Leave organization').click();
    await grace.page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click();
    await grace.page.getByText('You left Harbour Works').waitFor();
    expect(grace.complaints).toEqual([]);
    await grace.close();
  });

  it('shows the deployment that a commit links to, while it runs and once it has ended', async () => {
    const git = await startGitServer();
    onTestFinished(() => git.stop());
    const send = async (path: string, body: object): Promise<string> => {
      const asked = { path, body };
      const answer = await ada.page.evaluate(async ({ path, body }) => {
        const proof = localStorage.getItem('mooring.session-proof')!;
        const headers = { 'content-type': 'application/json', 'x-session-proof': proof };
        return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).text();
      }, asked);
      return (JSON.parse(answer) as { data: { id: string } }).data.id;
    };
    const sha = git.push('site', folderOf({ 'index.html': 'hello' }), 'Say hello\n\nand no more');
    const deploy = async (name: string) => {
      const source = { type: 'git', url: git.url(name), branch: 'main' };
      return send('/api/deployments', { projectId: await send('/api/projects', { name, source }) });
    };
    const id = await deploy('site');
    await ada.page.goto(`/deployments/${id}`);
    await heading(ada, 'Deployment');
    await ada.page.getByText('Ready', { exact: true }).waitFor();
    await ada.page.getByText(`${sha.slice(0, 12)} Say hello`).waitFor();
    const address = ada.page.getByRole('main').getByRole('link', { name: /opens in a new tab/ });
    expect(await address.getAttribute('href')).toMatch(/^http/);
    const steps = ada.page.getByRole('listitem').filter({ hasText: 'done' });
    await until('its steps are done', async () => (await steps.count()) > 3);
    await ada.page.goto(`/deployments/${await deploy('nowhere')}`);
    await ada.page.getByText('Failed at source').first().waitFor();
    const notRun = ada.page.getByRole('listitem').filter({ hasText: 'not run' });
    await until('its other steps are not run', async () => (await notRun.count()) > 3);
    expect(
      await ada.page
        .getByRole('listitem')
        .filter({ hasText: /running|waiting/ })
        .count(),
    ).toBe(0);
    await pictures(ada, 'deployment-failed');
    git.push('crash', folderOf({ 'package.json': '{"scripts":{"start":"node a.js"}}', 'a.js': 'nope();\n' }), 'Crash');
    await ada.page.goto(`/deployments/${await deploy('crash')}`);
    await ada.page.getByText('ReferenceError: nope is not defined').first().waitFor({ timeout: 60_000 });
    await pictures(ada, 'deployment-crashed');
    await ada.page.goto('/deployments/dep_unknown');
    await heading(ada, 'There is no such deployment here');
    await ada.page.goto('/');
  });

  it('adds a server with a generated key, says why it is unreachable, and removes it', async () => {
    await ada.page.goto('/servers');
    await heading(ada, 'No servers yet');
    await button(ada, 'Add server').click();
    await field(ada, 'Name').fill('Quay');
    await field(ada, 'Host').fill('127.0.0.1');
    await field(ada, 'SSH port').fill(String(await freePort()));
    await ada.page.getByRole('dialog').getByRole('button', { name: 'Add server' }).click();
    await heading(ada, 'Authorize this key');
    expect(await field(ada, 'Line for authorized_keys').inputValue()).toMatch(/^ssh-ed25519 /);
    await button(ada, 'Test connection').click();
    await ada.page.getByText('Check the host and the SSH port').waitFor();
    await button(ada, 'Actions for Quay').click();
    await ada.page.getByRole('menuitem', { name: 'Remove' }).click();
    await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Remove server' }).click();
    await heading(ada, 'No servers yet');
    await ada.page.goto('/audit');
    await ada.page.getByText('removed the server Quay').waitFor();
  });

  it('shows the audit log as sentences', async () => {
    await ada.page.goto('/audit');
    await ada.page.getByText('grace@example.org left the organization').waitFor();
    await ada.page.getByText('ada@example.org set up this instance').waitFor();
  });

  it('changes the password, says which one was wrong, and signs out and in again', async () => {
    await ada.page.goto('/account');
    await field(ada, 'Current password').fill('wrong');
    await field(ada, 'New password').fill('another long one');
    await button(ada, 'Change password').click();
    await ada.page.getByText('Current password is wrong').waitFor();
    await field(ada, 'Current password').fill(password);
    await button(ada, 'Change password').click();
    await ada.page.getByText('Your password is changed').waitFor();
    await ada.page.getByRole('button', { name: /Ada Lovelace/ }).click();
    await ada.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(ada, 'Sign in');
    await ada.page.goto('/audit');
    await field(ada, 'E-mail address').fill('ada@example.org');
    await field(ada, 'Password').fill('another long one');
    await button(ada, 'Sign in').click();
    await heading(ada, 'Audit log');
  });

  it('says that the session has expired, and returns after the sign-in', async () => {
    await ada.page.context().clearCookies();
    await ada.page.getByRole('link', { name: 'Members' }).click();
    await ada.page.getByText('Your session has ended').waitFor();
    await field(ada, 'E-mail address').fill('ada@example.org');
    await field(ada, 'Password').fill('another long one');
    await button(ada, 'Sign in').click();
    await heading(ada, 'Members');
  });

  it('opens a page as soon as the service responds again', async () => {
    const { page, complaints } = ada;
    const before = complaints.length;
    await page.goto('/nothing-here');
    await heading(ada, 'Page not found');
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Registries' }).click();
    await page.waitForTimeout(500);
    await page.context().setOffline(false);
    await heading(ada, /^Registries$/);
    complaints.length = before;
  });

  it('has no console errors and sends no requests to other hosts', () => {
    expect(ada.complaints).toEqual([]);
  });
});
