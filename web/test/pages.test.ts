import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';

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

  it('says how to begin, and creates the owner by the link', async () => {
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
    await heading(ada, 'Hello, Ada Lovelace');
  });

  it('makes a token that is shown once and works, and revokes it', async () => {
    await ada.page.goto('/tokens');
    await button(ada, 'New token').click();
    await field(ada, 'Name').fill('Release pipeline');
    await ada.page.getByText('Only what you choose').click();
    await ada.page.getByRole('checkbox', { name: 'Members: read' }).click();
    await button(ada, 'Create token').click();
    const token = await ada.page.getByRole('textbox', { name: 'Access token' }).inputValue();
    expect(token).toMatch(/^mrg_pat_/);
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

  it('invites somebody, who joins with a browser of their own and is not offered what they may not do', async () => {
    await ada.page.goto('/members');
    await button(ada, 'Invite somebody').click();
    await field(ada, 'E-mail address').fill('grace@example.org');
    await button(ada, 'Make invitation link').click();
    invitationLink = await ada.page.getByRole('textbox', { name: 'Link' }).inputValue();
    await button(ada, 'Done').click();
    const grace = await visit(browser, service.url, 'dark');
    await grace.page.goto(invitationLink);
    await heading(grace, /Join Harbour Works/);
    await field(grace, 'Your name').fill('Grace Hopper');
    await field(grace, 'Password').fill(password);
    await button(grace, 'Create account and join').click();
    await heading(grace, 'Hello, Grace Hopper');
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

  it('shows the audit log as sentences', async () => {
    await ada.page.goto('/audit');
    await ada.page.getByText('grace@example.org left the organization').waitFor();
    await ada.page.getByText('ada@example.org set up this instance').waitFor();
  });

  it('changes the password, says which one was wrong, and signs out and in', async () => {
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

  it('has no errors in the console and asks nobody else for anything', () => {
    expect(ada.complaints).toEqual([]);
  });
});
