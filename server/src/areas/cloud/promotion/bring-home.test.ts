import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownerToken as token, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newToken, signInOwner } from '../../../../test/rig/people.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp('sqlite');
});
afterAll(() => app?.close());

const state = async (id: string) =>
  (await app.database.db.selectFrom('projects').select('cloudState').where('id', '=', id).executeTakeFirstOrThrow())
    .cloudState;

/** Creates a project in the cloud whose local deployment fails; `meanwhile` runs before that. */
async function bring(name: string, meanwhile: (id: string) => Promise<unknown>) {
  const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
  const made = await app.call('POST', '/api/projects', { token, body: { name, source } });
  const { id } = made.body['data'] as unknown as { id: string };
  await app.database.db.updateTable('projects').set({ cloudState: 'there' }).where('id', '=', id).execute();
  const { deployments } = app.deployments;
  const real = deployments.fromAccess.bind(deployments);
  deployments.fromAccess = async () => {
    deployments.fromAccess = real;
    await meanwhile(id);
    throw new Error('it cannot begin');
  };
  expect((await app.call('POST', `/api/projects/${id}/bring-home`, { token, body: {} })).status).toBe(500);
  return id;
}

it('restores the cloud state if the local deployment fails', async () => {
  expect(await state(await bring('back', async () => {}))).toBe('there');
});

it('keeps a concurrent change of the state', async () => {
  const removed = (id: string) =>
    app.database.db.updateTable('projects').set({ cloudState: null }).where('id', '=', id).execute();
  expect(await state(await bring('removed', removed))).toBeNull();
});

it('requires the permission to deploy', async () => {
  const weak = await newToken(app, await signInOwner(app), ['project:write']);
  const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
  const made = await app.call('POST', '/api/projects', { token, body: { name: 'guarded', source } });
  const { id } = made.body['data'] as unknown as { id: string };
  await app.database.db.updateTable('projects').set({ cloudState: 'there' }).where('id', '=', id).execute();
  const home = (body: object) => app.call('POST', `/api/projects/${id}/bring-home`, { token: weak, body });
  expect((await home({})).status).toBe(403);
  expect(await state(id)).toBe('there');
  expect((await home({ deploy: false })).status).toBe(200);
});
