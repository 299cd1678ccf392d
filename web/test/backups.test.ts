import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser, type Visitor } from '../../server/test/rig/browser.ts';
import { newFolder } from '../../server/test/rig/children.ts';
import { deploy, ensureProject, folderOf, json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';
import { signInOwner } from './connections-rig.ts';
import { pictures } from './pictures.ts';

const program = `
require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT, process.env.HOST);
const { writeFileSync } = require('node:fs');
writeFileSync('uploads/photo.bin', Buffer.alloc(3_000_000, 7));`;

describe.runIf(has('chromium'))('backups in a browser', () => {
  let service: Service;
  let browser: Browser;
  let ada: Visitor;
  let project: string;
  let note: string;
  const root = newFolder('backups');
  const place = join(root, 'nightly');

  beforeAll(async () => {
    service = await startService({ env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root } });
    browser = await startBrowser();
    ada = await signInOwner(browser, service);
    project = await ensureProject(service, 'Blog');
    await json(service.post(`/api/projects/${project}/volumes`, { name: 'uploads', path: 'uploads' }));
    const scripts = { start: 'node server.js' };
    const files = { 'package.json': JSON.stringify({ scripts }), 'server.js': program, 'uploads/note.txt': 'first\n' };
    await deploy(service, project, folderOf(files));
    note = join(service.dataDir, 'volumes', project, 'production', 'uploads', 'note.txt');
    await until('the app has written', () => existsSync(join(note, '../photo.bin')));
    writeFileSync(note, 'first\n');
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const text = (words: string | RegExp) => ada.page.getByText(words).first();
  const button = (name: string | RegExp) => ada.page.getByRole('button', { name });
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });
  const dialog = () => ada.page.getByRole('dialog');
  const question = () => ada.page.getByRole('alertdialog');
  const table = (name: string) => ada.page.getByRole('table', { name, exact: true });
  const policy = (name: string) => ada.page.getByRole('listitem', { name, exact: true });
  const open = () => ada.page.goto(`/projects/${project}/backups`);
  const choose = async (menu: string | RegExp, what: string) => {
    await button(menu).click();
    await ada.page.getByRole('menuitem', { name: what }).click();
  };
  const completed = () => ada.page.getByText('Completed', { exact: true }).first().waitFor({ timeout: 30_000 });

  it('leads to a destination first', async () => {
    await open();
    await text('Add a destination first').waitFor();
    await pictures(ada, 'backups-no-destination');
    await ada.page.getByRole('link', { name: 'Add destination' }).click();
    await dialog().getByText('Add a backup destination').waitFor();
    await ada.page.keyboard.press('Escape');
    await json(service.post('/api/backup-destinations', { name: 'Nightly', kind: 'local', endpoint: place }));
    await open();
    await text('Nothing is backed up yet').waitFor();
    await pictures(ada, 'backups-none');
  });

  it('adds a policy with what was found, and shows errors beside the field', async () => {
    await button('Add policy').click();
    await dialog().getByText('Now: Volume uploads.').waitFor();
    await dialog().getByText('Next:').first().waitFor();
    await pictures(ada, 'backups-policy-form');
    await dialog().getByText('Chosen sources').click();
    await dialog().getByText('A volume of the project, at uploads').waitFor();
    await field('Schedule').selectOption({ label: 'Other (cron expression)' });
    await field('Schedule: cron expression').fill('0 0 30 2 *');
    await dialog().getByText('Prove restores by a schedule').click();
    await dialog().getByText('Advanced', { exact: true }).click();
    await pictures(ada, 'backups-policy-form-whole');
    await dialog().getByRole('button', { name: 'Add policy' }).click();
    await dialog().getByText('never fires').waitFor();
    await field('Schedule').selectOption({ label: 'Every night at 3:30' });
    await dialog().getByRole('button', { name: 'Add policy' }).click();
    await policy('Blog').getByText('No backup yet').waitFor();
    await text('A backup key was never exported').waitFor();
    await pictures(ada, 'backups-policy-never');
    const { data } = await json<{ data: object[] }>(service.get('/api/backup-policies'));
    expect(data).toMatchObject([
      {
        name: 'Blog',
        sources: [{ type: 'volume', volume: 'uploads' }],
        schedule: '30 3 * * *',
        retention: { last: 7, daily: 0, weekly: 4, monthly: 0 },
        drill: { schedule: '0 5 * * 0' },
        encryption: { enabled: true },
      },
    ]);
    await choose('Actions for Blog', 'Edit');
    await field('Daily').fill('3');
    await button('Save changes').click();
    await policy('Blog').getByText('keeps last 7, 3 daily, 4 weekly').waitFor();
  }, 60_000);

  it('runs it, and shows the archives', async () => {
    await button('Run now (Blog)').click();
    await ada.page.waitForURL(/backups\/bak_/);
    await completed();
    await table('Archives').getByText('Volume uploads').waitFor();
    await text('volume-uploads: 3.0 MB, stored and verified').waitFor();
    await pictures(ada, 'backup');
    const [saved] = await Promise.all([ada.page.waitForEvent('download'), button('Download volume-uploads').click()]);
    expect(saved.suggestedFilename()).toBe('volume-uploads.tar.zst.age');
    expect(readFileSync(await saved.path(), 'latin1')).toMatch(/^age-encryption.org/);
    await choose('Actions for this backup', 'Pin');
    await ada.page.getByText('Pinned', { exact: true }).waitFor();
  }, 60_000);

  it('restores it in place once the name is typed, and undoes that', async () => {
    writeFileSync(note, 'second\n');
    await button('Restore').click();
    await dialog().getByText('In place', { exact: true }).click();
    await dialog().getByText('It takes a backup of the current data').waitFor();
    const replace = dialog().getByRole('button', { name: 'Replace the data' });
    await field('Type Blog to confirm').fill('Blo');
    expect(await replace.isDisabled()).toBe(true);
    await pictures(ada, 'restore-dialog');
    await field('Type Blog to confirm').fill('Blog');
    await replace.click();
    await ada.page.waitForURL(/restores\/rst_/);
    await completed();
    await text('volume-uploads is restored to the volume uploads').waitFor();
    expect(readFileSync(note, 'utf8')).toBe('first\n');
    await pictures(ada, 'restore');
    await button('Undo restore').click();
    await pictures(ada, 'restore-undo');
    await question().getByRole('button', { name: 'Undo restore' }).click();
    await ada.page.getByRole('heading', { name: 'Undo of Blog' }).waitFor();
    await completed();
    expect(readFileSync(note, 'utf8')).toBe('second\n');
  }, 90_000);

  it('restores to a scratch place and to a new volume, and proves the backup by a drill', async () => {
    await open();
    await table('Backups').getByRole('link').last().click();
    for (const [target, path] of [
      ['Scratch place', 'note.txt'],
      ['New volumes and databases', ''],
    ] as const) {
      await button('Restore').click();
      await dialog().getByText(target, { exact: true }).click();
      if (path) await field('Path').fill(path);
      else await field('New name of volume uploads').fill('copy');
      await dialog().getByRole('button', { name: 'Restore' }).click();
      await ada.page.waitForURL(/restores\/rst_/);
      await completed();
      await ada.page.getByRole('link', { name: 'Restored backup' }).click();
    }
    expect(existsSync(join(note, '../../copy/note.txt'))).toBe(true);
    await open();
    await choose('Actions for Blog', 'Run drill');
    await ada.page.getByRole('heading', { name: 'Drill of Blog' }).waitFor();
    await completed();
    await text('2 files, 2.9 MB.').waitFor();
    await pictures(ada, 'drill');
  }, 90_000);

  it('shows the progress of a slow backup, and cancels it', async () => {
    writeFileSync(join(note, '../noise.bin'), randomBytes(4_000_000));
    await open();
    await choose('Actions for Blog', 'Edit');
    await dialog().getByText('Advanced', { exact: true }).click();
    await field('Bandwidth limit (MB/s)').fill('0.1');
    await button('Save changes').click();
    await dialog().waitFor({ state: 'detached' });
    await button('Run now (Blog)').click();
    await text('Sending volume uploads').waitFor();
    const progress = ada.page.getByRole('progressbar', { name: 'Progress' });
    await until('it has progressed', async () => Number(await progress.getAttribute('aria-valuenow')) > 0);
    await pictures(ada, 'backup-running');
    await open();
    await button(/^Running/).click();
    await button('Cancel backup').click();
    await question().getByRole('button', { name: 'Cancel backup' }).click();
    await ada.page.getByText('Cancelled', { exact: true }).waitFor({ timeout: 30_000 });
    rmSync(join(note, '../noise.bin'));
  }, 60_000);

  it('shows why a destination fails, and what to do', async () => {
    rmSync(place, { recursive: true });
    writeFileSync(place, 'not a folder');
    await open();
    await button('Run now (Blog)').click();
    await ada.page.waitForURL(/backups\/bak_/);
    await text('What to do:').waitFor({ timeout: 30_000 });
    await ada.page.getByText('Failed', { exact: true }).waitFor();
    await pictures(ada, 'backup-failed');
    await open();
    await policy('Blog').getByText('Failing').waitFor();
    await policy('Blog').getByText('The backup could not be stored: Nightly:').waitFor();
    await table('Restores and drills').waitFor();
    await pictures(ada, 'backups-failing');
    rmSync(place);
    mkdirSync(place);
  }, 60_000);

  it('exports and rotates the keys, and lists all projects', async () => {
    await ada.page.goto('/backups');
    await policy('Blog').getByRole('link', { name: 'Blog' }).waitFor();
    await pictures(ada, 'backups-all');
    await ada.page.getByRole('link', { name: 'Export the keys' }).click();
    await button('Export keys').click();
    const [saved] = await Promise.all([
      ada.page.waitForEvent('download'),
      question().getByRole('button', { name: 'Export keys' }).click(),
    ]);
    expect(readFileSync(await saved.path(), 'utf8')).toContain('AGE-SECRET-KEY-1');
    await text('A backup key was never exported').waitFor({ state: 'detached' });
    await button('Rotate key').click();
    await question().getByRole('button', { name: 'Rotate key' }).click();
    await table('Backup keys').getByText('Never').waitFor();
    expect(await table('Backup keys').getByRole('row').count()).toBe(3);
    await choose('Actions for Blog', 'Disable');
    await policy('Blog').getByText('Disabled', { exact: true }).waitFor();
    await choose('Actions for Blog', 'Delete');
    await question().getByRole('button', { name: 'Delete policy' }).click();
    await text('Nothing is backed up yet').waitFor();
    await ada.page.goto('/audit');
    await text('deleted the backup policy Blog').waitFor();
    expect(ada.complaints).toEqual([]);
  }, 60_000);
});
