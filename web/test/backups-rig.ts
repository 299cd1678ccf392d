import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { startBrowser, type Visitor } from '../../server/test/rig/browser.ts';
import { newFolder } from '../../server/test/rig/children.ts';
import { deploy, ensureProject, folderOf, json } from '../../server/test/rig/deploy.ts';
import { type Service, startService } from '../../server/test/rig/service.ts';
import { until } from '../../server/test/rig/until.ts';
import { signInOwner } from './connections-rig.ts';

const program = `
require('node:http').createServer((_, response) => response.end('ok')).listen(process.env.PORT, process.env.HOST);
const { writeFileSync } = require('node:fs');
writeFileSync('uploads/photo.bin', Buffer.alloc(3_000_000, 7));`;

/** The owner in a browser, and the project Blog with the volume `uploads`, in which the app writes a photo. */
export function backupsInBrowser() {
  const root = newFolder('backups');
  const rig = { root, place: join(root, 'nightly') } as {
    service: Service;
    browser: Browser;
    ada: Visitor;
    project: string;
    /** A file of the volume. */
    note: string;
    root: string;
    /** Folder of the destination `Nightly`. */
    place: string;
  };
  beforeAll(async () => {
    rig.service = await startService({ env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root } });
    const { service } = rig;
    rig.browser = await startBrowser();
    rig.ada = await signInOwner(rig.browser, service);
    const project = await ensureProject(service, 'Blog');
    await json(service.post(`/api/projects/${project}/volumes`, { name: 'uploads', path: 'uploads' }));
    const scripts = { start: 'node server.js' };
    const files = { 'package.json': JSON.stringify({ scripts }), 'server.js': program, 'uploads/note.txt': 'first\n' };
    await deploy(service, project, folderOf(files));
    const note = join(service.dataDir, 'volumes', project, 'production', 'uploads', 'note.txt');
    await until('the app has written', () => existsSync(join(note, '../photo.bin')));
    writeFileSync(note, 'first\n');
    Object.assign(rig, { project, note });
  }, 60_000);
  afterAll(async () => {
    await rig.browser?.close();
    await rig.service?.stop();
  });
  const page = () => rig.ada.page;
  const button = (name: string | RegExp) => page().getByRole('button', { name });
  return {
    rig,
    page,
    button,
    text: (words: string | RegExp) => page().getByText(words).first(),
    field: (name: string) => page().getByLabel(name, { exact: true }),
    dialog: () => page().getByRole('dialog'),
    question: () => page().getByRole('alertdialog'),
    table: (name: string) => page().getByRole('table', { name, exact: true }),
    policy: (name: string) => page().getByRole('listitem', { name, exact: true }),
    open: () => page().goto(`/projects/${rig.project}/backups`),
    choose: async (menu: string | RegExp, what: string) => {
      await button(menu).click();
      await page().getByRole('menuitem', { name: what }).click();
    },
    completed: () => page().getByText('Completed', { exact: true }).first().waitFor({ timeout: 30_000 }),
    addDestination: () =>
      json<{ data: { id: string } }>(
        rig.service.post('/api/backup-destinations', { name: 'Nightly', kind: 'local', endpoint: rig.place }),
      ),
  };
}
