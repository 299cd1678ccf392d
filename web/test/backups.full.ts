import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { until } from '../../server/test/rig/until.ts';
import { backupsInBrowser } from './backups-rig.ts';
import { pictures } from './pictures.ts';

describe.runIf(has('chromium'))('more of backups in a browser', () => {
  const { rig, page, text, button, field, dialog, question, table, policy, open, choose, completed, addDestination } =
    backupsInBrowser();

  const openOldest = () => table('Backups').locator('a[href*="/bak_"]').last().click();
  beforeAll(async () => {
    const { id } = (await addDestination()).data;
    const retention = { last: 7, daily: 0, weekly: 4, monthly: 0 };
    const shared = { schedule: '30 3 * * *', timezone: 'UTC', destinationIds: [id], retention };
    await json(rig.service.post('/api/backup-policies', { name: 'Blog', projectId: rig.project, ...shared }));
    await open();
    await button('Run now (Blog)').click();
    await completed();
  }, 60_000);

  it('restores to a scratch place and to a new volume, and proves the backup by a drill', async () => {
    await open();
    await openOldest();
    for (const [target, path] of [
      ['Scratch place', 'note.txt'],
      ['New volumes and databases', ''],
    ] as const) {
      await button('Restore').click();
      await dialog().getByText(target, { exact: true }).click();
      if (path) await field('Path').fill(path);
      else await field('New name of volume uploads').fill('copy');
      await dialog().getByRole('button', { name: 'Restore' }).click();
      await page().waitForURL(/restores\/rst_/);
      await completed();
      await page().getByRole('link', { name: 'Restored backup' }).click();
    }
    expect(existsSync(join(rig.note, '../../copy/note.txt'))).toBe(true);
    await open();
    await choose('Actions for Blog', 'Run drill');
    await page().getByRole('heading', { name: 'Drill of Blog' }).waitFor();
    await completed();
    await text('2 files, 3.0 MB.').waitFor();
    await pictures(rig.ada, 'drill');
  }, 90_000);

  it('shows a policy with its settings, backups and drills', async () => {
    await open();
    await policy('Blog').getByRole('link', { name: 'Blog', exact: true }).click();
    await page().waitForURL(/backup-policies\/bkp_/);
    await page().getByRole('heading', { name: 'Blog' }).waitFor();
    for (const fact of ['Every night at 3:30', 'Nightly', 'With the backup key', 'last 7, 4 weekly'])
      await text(fact).waitFor();
    await table('Backups').waitFor();
    await table('Restores and drills').getByText('2 files, 3.0 MB').first().waitFor();
    await pictures(rig.ada, 'backup-policy');
    await choose('Actions for Blog', 'Edit');
    await field('Weekly').fill('5');
    await button('Save changes').click();
    await text('last 7, 5 weekly').waitFor();
  }, 60_000);

  it('downloads one file of an archive', async () => {
    await open();
    await openOldest();
    await button('Download a file of volume-uploads').click();
    await field('Path').fill('note.txt');
    await pictures(rig.ada, 'backup-file');
    const [saved] = await Promise.all([
      page().waitForEvent('download'),
      dialog().getByRole('button', { name: 'Download' }).click(),
    ]);
    expect([saved.suggestedFilename(), readFileSync(await saved.path(), 'utf8')]).toEqual(['note.txt', 'first\n']);
    await dialog().waitFor({ state: 'detached' });
  }, 60_000);

  it('imports an archive as a backup', async () => {
    const [saved] = await Promise.all([page().waitForEvent('download'), button('Download volume-uploads').click()]);
    const file = join(rig.root, saved.suggestedFilename());
    await saved.saveAs(file);
    const broken = join(rig.root, 'broken.tar.zst');
    writeFileSync(broken, 'not an archive');
    await page().goto('/backups');
    await button('Import archive').click();
    await field('Archive').setInputFiles(broken);
    await dialog().getByRole('button', { name: 'Import' }).click();
    await dialog().getByRole('alert').waitFor();
    await field('Archive').setInputFiles(file);
    await pictures(rig.ada, 'backup-import');
    await dialog().getByRole('button', { name: 'Import' }).click();
    await page().waitForURL(/backups\/bak_/);
    await page()
      .getByText(/imported-bak_/)
      .waitFor();
    await button('Restore').waitFor();
  }, 60_000);

  it('backs up Mooring itself for the instance owner', async () => {
    await page().goto('/backups');
    await button('Add policy').click();
    await field('Project').selectOption({ label: 'Mooring itself' });
    await dialog().getByText('encrypted with the key of its machine').waitFor();
    expect(await dialog().getByText('Encrypt archives').count()).toBe(0);
    await pictures(rig.ada, 'backups-instance-form');
    await dialog().getByRole('button', { name: 'Add policy' }).click();
    await policy('Mooring').getByText('Mooring itself').waitFor();
    const { data } = await json<{ data: object[] }>(rig.service.get('/api/backup-policies'));
    expect(data).toContainEqual(expect.objectContaining({ name: 'Mooring', scope: 'instance', projectId: null }));
    await choose('Actions for Mooring', 'Edit');
    await field('Last').fill('3');
    await button('Save changes').click();
    await policy('Mooring').getByText('keeps last 3').waitFor();
    await policy('Mooring').getByRole('link', { name: 'Mooring', exact: true }).click();
    await text('With the key of the machine').waitFor();
    await pictures(rig.ada, 'backup-policy-instance');
    await choose('Actions for Mooring', 'Delete');
    await question().getByRole('button', { name: 'Delete policy' }).click();
    await page().waitForURL(/\/backups$/);
  }, 60_000);

  it('shows the progress of a slow backup, and cancels it', async () => {
    writeFileSync(join(rig.note, '../noise.bin'), randomBytes(4_000_000));
    await open();
    await choose('Actions for Blog', 'Edit');
    await dialog().getByText('Advanced', { exact: true }).click();
    await field('Bandwidth limit (MB/s)').fill('0.1');
    await button('Save changes').click();
    await dialog().waitFor({ state: 'detached' });
    await button('Run now (Blog)').click();
    await text('Sending volume uploads').waitFor();
    const progress = page().getByRole('progressbar', { name: 'Progress' });
    await until('it has progressed', async () => Number(await progress.getAttribute('aria-valuenow')) > 0, 5000);
    await pictures(rig.ada, 'backup-running');
    await open();
    await button(/^Running/).click();
    await button('Cancel backup').click();
    const began = Date.now();
    await question().getByRole('button', { name: 'Cancel backup' }).click();
    await page().getByText('Cancelled', { exact: true }).waitFor();
    expect(Date.now() - began).toBeLessThan(3000);
    rmSync(join(rig.note, '../noise.bin'));
  }, 60_000);

  it('shows why a destination fails, and what to do', async () => {
    rmSync(rig.place, { recursive: true });
    writeFileSync(rig.place, 'not a folder');
    await open();
    await button('Run now (Blog)').click();
    await page().waitForURL(/backups\/bak_/);
    await text('What to do:').waitFor({ timeout: 30_000 });
    await page().getByText('Failed', { exact: true }).waitFor();
    await pictures(rig.ada, 'backup-failed');
    await open();
    await policy('Blog').getByText('Failing').waitFor();
    await policy('Blog').getByText('The backup could not be stored: Nightly:').waitFor();
    await table('Restores and drills').waitFor();
    await pictures(rig.ada, 'backups-failing');
    rmSync(rig.place);
    mkdirSync(rig.place);
  }, 60_000);

  it('exports and rotates the keys, and lists all projects', async () => {
    await page().goto('/backups');
    await policy('Blog').getByRole('link', { name: 'Blog' }).last().waitFor();
    await pictures(rig.ada, 'backups-all');
    await page().getByRole('link', { name: 'Export the keys' }).click();
    await button('Export keys').click();
    const [saved] = await Promise.all([
      page().waitForEvent('download'),
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
    await page().goto('/audit');
    await text('deleted the backup policy Blog').waitFor();
    expect(rig.ada.complaints).toEqual([]);
  }, 60_000);
});
