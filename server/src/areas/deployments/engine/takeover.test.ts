import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { ownerToken, startApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { memoryDrivers } from '../../../../test/rig/drivers.ts';
import { until } from '../../../../test/rig/until.ts';
import type { Host } from '../../../drivers/host/host.ts';
import { localHost } from '../../../drivers/host/local.ts';
import { claimNextDeployment } from '../model/queue.ts';

it('a worker that has lost its lease during a build removes nothing of its successor', async () => {
  const local = localHost();
  const [folders, ended]: [string[], string[]] = [[], []];
  const host: Host = {
    ...local,
    async exec(command, options) {
      await app.database.db.updateTable('deployments').set({ leaseUntil: 0 }).execute();
      await claimNextDeployment(app.database.db, 'sqlite', 'another', []);
      const exit = await local.exec(command, options);
      folders.push(command.cwd);
      return exit;
    },
    endWork(work) {
      ended.push(work);
      return local.endWork(work);
    },
  };
  const app = await startApp('sqlite', { drivers: { ...memoryDrivers(), host } });
  onTestFinished(() => app.close());
  await app.deployments.start();
  const post = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });
  const path = newFolder('site');
  writeFileSync(join(path, 'index.html'), '<p>hello</p>');
  const project = await post('/api/projects', { name: 'x', source: { type: 'local', path }, buildCommand: 'exit 1' });
  await post('/api/deployments/build/access', {
    projectId: (project.body as unknown as { data: { id: string } }).data.id,
  });
  const [folder] = await until('the build has failed', () => (folders.length ? folders : undefined!));
  await sleep(500);
  const row = await app.database.db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow();
  expect(row).toMatchObject({ status: 'building', leaseOwner: 'another' });
  expect([existsSync(folder!), ended]).toEqual([true, []]);
});
