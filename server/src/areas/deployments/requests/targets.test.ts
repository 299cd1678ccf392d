import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { addServer, projectOn } from '../../../../test/rig/project-on-server.ts';

describe('machine of a project', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.close());

  it('is the same for all environments while one of them runs', async () => {
    const serverId = await addServer(app, 'web', { port: 80, tlsPort: 443 });
    const { id } = await projectOn(app, serverId, []);
    const staging = (where: object) =>
      app.call('POST', '/api/deployments/build/access', {
        token: ownerToken,
        body: { projectId: id, environment: 'staging', autoStart: false, ...where },
      });
    const refused = await staging({ deployTarget: 'local' });
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/another environment/)]);
    expect((await staging({})).status).toBe(200);
    const { db } = app.database;
    const project = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(project.serverId).toBe(serverId);
    const over = { active: 0, status: 'cancelled' as const };
    await db.updateTable('deployments').set(over).where('projectId', '=', id).execute();
    expect((await staging({ deployTarget: 'local' })).status).toBe(200);
  });
});
