import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFolder } from '../rig/children.ts';
import { ask, deploy, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { runMaintenance } from '../rig/maintenance.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

let service: Service;
let env: Record<string, string>;
const root = newFolder('destinations');
beforeAll(async () => {
  env = { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root };
  service = await startService({ env });
  env = { ...env, MOORING_DATA_DIR: service.dataDir };
});
afterAll(() => service?.stop());

type Made = { place: string };

it('an instance backup goes to a destination of the instance owner, where seven are kept', async () => {
  mkdirSync(join(root, 'offsite'));
  const body = { name: 'offsite', kind: 'local', endpoint: join(root, 'offsite') };
  await json(service.post('/api/backup-destinations', body));
  const { place } = await runMaintenance<Made>(env, 'backup-instance', '--destination', 'offsite');
  const there = join(root, 'offsite', 'instance');
  expect(place).toBe(`offsite: instance/${readdirSync(there)[0]}`);
  expect(readdirSync(join(service.dataDir, 'backups'))).toEqual([]);
  const unknown = runMaintenance(env, 'backup-instance', '--destination', 'elsewhere');
  await expect(unknown).rejects.toThrow('mooring: the instance owner has no backup destination named elsewhere');
  const nightly = { ...env, MOORING_INSTANCE_BACKUP_DESTINATION: 'offsite' };
  await runMaintenance<Made>(nightly, 'backup-instance', '--nightly');
  expect(readdirSync(there)).toHaveLength(2);
  expect(readdirSync(join(service.dataDir, 'backups', 'instance'))).toEqual(readdirSync(there).slice(1));
});

it('a site whose release folder is gone is built again from its upload', async () => {
  const site = folderOf({ 'index.html': 'a site' });
  const { id, urls } = await deploy(service, await ensureProject(service, 'site'), site);
  expect((await ask(urls[0]!)).body).toBe('a site');
  rmSync(join(service.dataDir, 'releases', id), { recursive: true });
  const active = async () => {
    const { data } = await json<{ data: { rollbackOf: string | null; status: string }[] }>(
      service.get('/api/deployments?limit=1'),
    );
    return data[0]?.rollbackOf === id && data[0].status === 'ready';
  };
  await until('it is built again', active, 60_000);
  expect((await ask(urls[0]!)).body).toBe('a site');
});
