import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import type { StepContext } from '../model/step.ts';
import { declareVolumes } from './mooring-file.ts';

let app: TestApp;
let projectId: string;
let folder: string;
const { post, get, newProject, newDeployment } = thingsOf(() => app);
beforeEach(async () => {
  app = await startApp('sqlite');
  projectId = await newProject();
  folder = newFolder('source');
});
afterEach(() => app.close());

async function declare(volumes: object): Promise<void> {
  const { db } = app.database;
  const id = await newDeployment(projectId);
  const deployment = await db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  writeFileSync(join(folder, 'mooring.json'), JSON.stringify({ volumes }));
  const parts = { folders: { release: () => folder } };
  const config = { rootDirectory: '', slug: 'shop' };
  await declareVolumes({ db, deployment, parts, config, log: () => {} } as unknown as StepContext);
}
const volumes = async () => {
  const { body } = await get(`/api/projects/${projectId}/volumes`);
  return (body as unknown as { data: { name: string; path: string }[] }).data.map(
    ({ name, path }) => `${name} ${path}`,
  );
};

it('rejects a volume in mooring.json that would hide the data of another one', async () => {
  await post(`/api/projects/${projectId}/volumes`, { name: 'store', path: 'data' });
  for (const path of ['data', 'data/inner', './/data/'])
    await expect(declare({ uploads: path }), path).rejects.toMatchObject({
      message: expect.stringMatching(
        /^mooring.json: the volume uploads at data\S* clashes with the volume store at data$/,
      ),
      hint: expect.stringContaining('mooring volume remove shop store'),
    });
  await expect(declare({ a: 'files', b: 'files/b' })).rejects.toThrow('volume a at files clashes with the volume b');
  expect(await volumes()).toEqual(['store data']);
  await declare({ store: 'moved', uploads: 'data' });
  expect(await volumes()).toEqual(['store moved', 'uploads data']);
});

it('rejects a volume in mooring.json that a process cannot have, before adding it', async () => {
  await expect(declare({ data: '/srv/data' })).rejects.toThrow(
    'volumes.data must be relative to the folder of the app',
  );
  expect(await volumes()).toEqual([]);
});

it('rejects a file in mooring.json, and says what to mount', async () => {
  for (const path of ['db.sqlite3', { path: 'db.sqlite3', overlap: true }])
    await expect(declare({ data: path })).rejects.toThrow(
      'mooring.json: volumes.data.path must be a folder, and db.sqlite3 is the name of a file. ' +
        'Mount the folder that contains the file',
    );
  expect(await volumes()).toEqual([]);
});

it('says in plain words what is wrong in mooring.json', async () => {
  await expect(declare([{ name: 'data', path: 'data' }])).rejects.toThrow('mooring.json: volumes must be an object');
});
