import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from '../mooring.ts';
import { type Service, startService, stopWithApps } from '../service.ts';
import { ask } from '../../../server/test/rig/deploy.ts';
import { docs } from './page.ts';

const folder = mkdtempSync(join(tmpdir(), 'mooring-docs-'));
const ada = new Person();
let service: Service;
beforeAll(async () => {
  const isOurs = (path: string) => !['node_modules', 'dist', 'cache'].includes(basename(path));
  cpSync(docs, folder, { recursive: true, filter: isOurs });
  service = await startService({ MOORING_RUNTIME: 'process' });
});
afterAll(async () => {
  await stopWithApps(service);
  ada.leave();
  rmSync(folder, { recursive: true });
});

test('the documentation is deployed as a site', async () => {
  await ada.logIn(service.url);
  const { code, stdout, stderr } = await ada.run(['deploy', folder, '--new=handbook']);
  expect(code, stderr).toBe(0);
  const url = stdout.trim();
  expect((await ask(url)).body).toContain('<title>Mooring</title>');
  expect((await ask(url, '/guides/django.html')).body).toContain('Deploy a Django app');
});
