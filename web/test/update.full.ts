import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, visit, type Visitor } from '../../server/test/rig/browser.ts';
import { type Killable, startKillable } from '../../server/test/rig/killable.ts';
import { has } from '../../server/test/rig/parts.ts';
import { until } from '../../server/test/rig/until.ts';
import { requestFile, statusFile, updateFolder, type UpdateStatus } from '../../server/src/areas/instance/port.ts';
import { version } from '../../server/src/version.ts';
import { ownerEmail, ownerPassword } from '../../server/test/rig/app.ts';
import { pictures } from './pictures.ts';

describe.runIf(has('chromium'))('an update in a browser', () => {
  const releases = createServer((_, response) => response.end('{"version":"99.1.0","changelog":"CHANGELOG.md"}'));
  let service: Killable;
  let browser: Browser;
  let ada: Visitor;
  let dataDir: string;
  const status: UpdateStatus = {
    state: 'running',
    from: version,
    to: '99.1.0',
    startedAt: Date.now(),
    endedAt: null,
    steps: [],
    reason: null,
    lines: [],
    awayMs: null,
  };
  const report = (change: Partial<UpdateStatus>) =>
    writeFileSync(statusFile(dataDir), JSON.stringify(Object.assign(status, change)));
  const step = (phase: string, message: string) =>
    report({ steps: [...status.steps, { phase, message, at: Date.now() }] });
  const text = (words: string | RegExp) => ada.page.getByText(words).first().waitFor();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name });

  beforeAll(async () => {
    await new Promise<void>((resolve) => releases.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(releases.address() as AddressInfo).port}`;
    service = await startKillable({ MOORING_UPDATE_URL: url });
    dataDir = service.now.dataDir;
    mkdirSync(updateFolder(dataDir));
    browser = await startBrowser();
    ada = await visit(browser, service.now.url);
    await ada.page.goto('/sign-in?next=/instance');
    await ada.page.getByLabel('E-mail address').fill(ownerEmail);
    await ada.page.getByLabel('Password', { exact: true }).fill(ownerPassword);
    await button('Sign in').click();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.now.stop();
    releases.close();
  });

  it('is offered on the overview and on the page of the instance', async () => {
    await button('Update to 99.1.0').waitFor();
    expect(await ada.page.getByRole('link', { name: /Changelog/ }).getAttribute('href')).toMatch(/CHANGELOG\.md$/);
    await pictures(ada, 'instance-new-version');
    await ada.page.getByRole('link', { name: 'Overview' }).click();
    await ada.page.getByRole('link', { name: 'See the update' }).click();
    await button('Update to 99.1.0').waitFor();
  });

  it('says what happens, and writes the request', async () => {
    await button('Update to 99.1.0').click();
    await text('goes back by itself');
    await pictures(ada, 'instance-confirm-update');
    await ada.page.getByRole('alertdialog').getByRole('button', { name: 'Update to 99.1.0' }).click();
    await text('Waiting for the updater');
    expect(existsSync(requestFile(dataDir))).toBe(true);
  });

  it('shows its steps while the service is away and comes back', async () => {
    rmSync(requestFile(dataDir));
    step('fetch', 'Downloading Mooring 99.1.0 (48 MB): 100 %');
    step('verify', 'Checking the signature and the disk space');
    await text('Checking the signature');
    step('stop', `Stopping ${version}; apps keep serving`);
    await text('Stopping');
    await service.kill();
    await text('Mooring restarts');
    await pictures(ada, 'instance-updating');
    step('check', 'Waiting until 99.1.0 is healthy');
    await service.start();
    await text('Waiting until 99.1.0 is healthy');
  });

  it('shows why it went back', async () => {
    const reason = '99.1.0 crashed 3 times while it started: Error: column "colour" cannot be altered';
    const lines = ['Error: column "colour" cannot be altered', '    at migrate (server/dist/main.js:120:11)'];
    report({ state: 'went_back', endedAt: Date.now(), reason, lines, awayMs: 9000 });
    await text(`Went back to ${version}`);
    await text('cannot be altered');
    await button('Update to 99.1.0').waitFor();
    await pictures(ada, 'instance-went-back');
  });

  it('shows that it succeeded', async () => {
    report({ state: 'updated', endedAt: Date.now(), reason: null, lines: [], awayMs: 1240 });
    await ada.page.reload();
    await text(`Updated from ${version} to 99.1.0. The API was away for 1.2 s.`);
    await pictures(ada, 'instance-updated');
    await until('the audit log names it', async () =>
      (await service.now.get('/api/audit')).text().then((body) => body.includes('update_requested')),
    );
    expect(ada.complaints.filter((each) => !/ERR_|Failed to (load|fetch)/.test(each))).toEqual([]);
  });
});
