import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { json } from '../../server/test/rig/deploy.ts';
import { has } from '../../server/test/rig/parts.ts';
import { backupsInBrowser } from './backups-rig.ts';
import { pictures } from './pictures.ts';

describe.runIf(has('chromium'))('backups in a browser', () => {
  const { rig, page, text, button, field, dialog, question, table, policy, open, choose, completed, addDestination } =
    backupsInBrowser();

  it('leads to a destination first', async () => {
    await open();
    await text('Add a destination first').waitFor();
    await pictures(rig.ada, 'backups-no-destination');
    await page().getByRole('link', { name: 'Add destination' }).click();
    await dialog().getByText('Add a backup destination').waitFor();
    await page().keyboard.press('Escape');
    await addDestination();
    await open();
    await text('Nothing is backed up yet').waitFor();
    await pictures(rig.ada, 'backups-none');
  });

  it('adds a policy with what was found, and shows errors beside the field', async () => {
    await button('Add policy').click();
    await dialog().getByText('Now: Volume uploads.').waitFor();
    await dialog().getByText('Next:').first().waitFor();
    await pictures(rig.ada, 'backups-policy-form');
    await dialog().getByText('Chosen sources').click();
    await dialog().getByText('A volume of the project, at uploads').waitFor();
    await field('Schedule').selectOption({ label: 'Other (cron expression)' });
    await field('Schedule: cron expression').fill('0 0 30 2 *');
    await dialog().getByText('Prove restores by a schedule').click();
    await dialog().getByText('Advanced', { exact: true }).click();
    await pictures(rig.ada, 'backups-policy-form-whole');
    await dialog().getByRole('button', { name: 'Add policy' }).click();
    await dialog().getByText('never fires').waitFor();
    await field('Schedule').selectOption({ label: 'Every night at 3:30' });
    await dialog().getByRole('button', { name: 'Add policy' }).click();
    await policy('Blog').getByText('No backup yet').waitFor();
    await text('A backup key was never exported').waitFor();
    await pictures(rig.ada, 'backups-policy-never');
    const { data } = await json<{ data: object[] }>(rig.service.get('/api/backup-policies'));
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
    await page().waitForURL(/backups\/bak_/);
    await completed();
    await table('Archives').getByText('Volume uploads').waitFor();
    await text('volume-uploads: 3.0 MB, stored and verified').waitFor();
    await pictures(rig.ada, 'backup');
    const [saved] = await Promise.all([page().waitForEvent('download'), button('Download volume-uploads').click()]);
    expect(saved.suggestedFilename()).toBe('volume-uploads.tar.zst.age');
    expect(readFileSync(await saved.path(), 'latin1')).toMatch(/^age-encryption.org/);
    expect(saved.url(), 'the browser streams it to disk').toMatch(/\/api\/backup-downloads\?ticket=/);
    await choose('Actions for this backup', 'Pin');
    await page().getByText('Pinned', { exact: true }).waitFor();
  }, 60_000);

  it('restores it in place once the name is typed, and undoes that', async () => {
    writeFileSync(rig.note, 'second\n');
    await button('Restore').click();
    await dialog().getByText('In place', { exact: true }).click();
    await dialog().getByText('It takes a backup of the current data').waitFor();
    const replace = dialog().getByRole('button', { name: 'Replace the data' });
    await field('Type Blog to confirm').fill('Blo');
    expect(await replace.isDisabled()).toBe(true);
    await pictures(rig.ada, 'restore-dialog');
    await field('Type Blog to confirm').fill('Blog');
    await replace.click();
    await page().waitForURL(/restores\/rst_/);
    await completed();
    await text('volume-uploads is restored to the volume uploads').waitFor();
    expect(readFileSync(rig.note, 'utf8')).toBe('first\n');
    await pictures(rig.ada, 'restore');
    await button('Undo restore').click();
    await question().waitFor();
    await pictures(rig.ada, 'restore-undo');
    await question().getByRole('button', { name: 'Undo restore' }).click();
    await page().getByRole('heading', { name: 'Undo of Blog' }).waitFor();
    await completed();
    expect(readFileSync(rig.note, 'utf8')).toBe('second\n');
  }, 90_000);

  it('shows no error in the console', () => {
    expect(rig.ada.complaints).toEqual([]);
  });
});
