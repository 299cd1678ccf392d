import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';
import { newGate } from '../../../../test/rig/gate.ts';
import { fieldsOf } from '../../../../test/rig/things.ts';
import { until } from '../../../../test/rig/until.ts';

describe.each(databaseKinds)('with one build slot, on %s', (kind) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await startApp(kind, { env: { MOORING_BUILDS_AT_ONCE: '1' } });
    await app.deployments.start();
  });
  afterEach(() => app.close());

  const post = (path: string, body: object = {}) => app.call('POST', path, { token: ownerToken, body });

  async function newProject(name: string, fields: object = {}): Promise<string> {
    const path = newFolder('site');
    writeFileSync(join(path, 'index.html'), '<p>hello</p>');
    const { body } = await post('/api/projects', { name, source: { type: 'local', path }, ...fields });
    return (body as unknown as { data: { id: string } }).data.id;
  }

  const begin = async (projectId: string) =>
    fieldsOf(await post('/api/deployments/build/access', { projectId }))['deployment_id']!;
  const comesTo = (id: string, wanted: string) =>
    until(`${id} is ${wanted}`, async () => {
      const query = app.database.db.selectFrom('deployments').select('status').where('id', '=', id);
      return (await query.executeTakeFirstOrThrow()).status === wanted;
    });

  it('a deployment past its build does not block others from building', async () => {
    const gate = newGate();
    const slow = await begin(await newProject('slow', { releaseCommand: gate.wait }));
    await comesTo(slow, 'deploying');
    await comesTo(await begin(await newProject('other', { buildCommand: 'true' })), 'ready');
    await comesTo(slow, 'deploying');
    gate.open();
    await comesTo(slow, 'ready');
  });

  it('a rollback does not wait for builds', async () => {
    const site = await newProject('site');
    const first = await begin(site);
    await comesTo(first, 'ready');
    await comesTo(await begin(site), 'ready');
    const gate = newGate();
    const building = await begin(await newProject('builds', { buildCommand: gate.wait }));
    await comesTo(building, 'building');
    const waiting = await begin(await newProject('waits'));
    const back = fieldsOf(await post(`/api/deployments/${first}/rollback`))['deployment_id']!;
    await comesTo(back, 'ready');
    await comesTo(building, 'building');
    await comesTo(waiting, 'queued');
    gate.open();
    for (const id of [building, waiting]) await comesTo(id, 'ready');
  });
});
