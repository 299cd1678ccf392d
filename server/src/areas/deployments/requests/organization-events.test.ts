import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { hearEvents } from '../../../../test/rig/heard-events.ts';
import { foreignOrganization, join, newToken } from '../../../../test/rig/people.ts';
import { thingsOf } from '../../../../test/rig/things.ts';
import { until } from '../../../../test/rig/until.ts';

describe.each(databaseKinds)('organization events on %s', (kind) => {
  let app: TestApp;
  let stopping: AbortController;
  let url: string;
  beforeEach(async () => {
    app = await startApp(kind);
    url = await app.server.listen({ port: 0, host: '127.0.0.1' });
    stopping = new AbortController();
  });
  afterEach(async () => {
    stopping.abort();
    await app.close();
  });
  const { newProject, newDeployment } = thingsOf(() => app);

  const heardBy = (token: string) => hearEvents(url, token, stopping.signal);

  it('announce deployments and changes only to members who may see them', async () => {
    const [known, unknown] = [await newProject(), await newProject()];
    const id = await newDeployment(known);
    const { memberId, cookie } = await join(app, 'rita@example.com', 'restricted');
    const grants = [{ resource: 'project', id: known, actions: ['list', 'read'] }];
    await app.call('PUT', `/api/members/${memberId}/grants`, { token: ownerToken, body: { grants } });
    const tokens = [ownerToken, await newToken(app, cookie, '*'), (await foreignOrganization(app)).token];
    const heard: string[][] = [];
    for (const token of tokens) heard.push(await heardBy(token));
    const [mine, theirs, strangers] = heard as [string[], string[], string[]];
    await app.database.db.updateTable('deployments').set({ status: 'building' }).where('id', '=', id).execute();
    const told = `deployment {"id":"${id}","projectId":"${known}","environment":"production","status":"building"`;
    await until('both hear of it', () => mine.length > 0 && theirs.length > 0);
    for (const each of [mine, theirs]) expect(each.splice(0)).toEqual([expect.stringContaining(told)]);

    for (const project of [unknown, known])
      await app.call('PATCH', `/api/projects/${project}`, { token: ownerToken, body: { name: `new ${project}` } });
    await until('the owner hears of both', () => mine.length === 2 && theirs.length > 0);
    expect(mine).toEqual([unknown, known].map((projectId) => `change {"what":"project","projectId":"${projectId}"}`));
    expect(theirs).toEqual([`change {"what":"project","projectId":"${known}"}`]);
    expect(strangers).toEqual([]);
  });

  it('open again after the database could not be read', async () => {
    const { db } = app.database;
    await db.schema.alterTable('audit_entries').renameTo('away').execute();
    const headers = { authorization: `Bearer ${ownerToken}` };
    expect((await fetch(`${url}/api/events`, { headers })).status).toBe(500);
    await db.schema.alterTable('away').renameTo('audit_entries').execute();
    const heard = await heardBy(ownerToken);
    await newProject();
    await until('it is open', () => heard.length > 0);
  });

  it('require authentication', async () => {
    expect((await app.call('GET', '/api/events')).status).toBe(401);
  });
});
