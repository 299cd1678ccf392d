import { describe, expect, it } from 'vitest';
import { ownerToken as token, startApp } from '../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../test/rig/databases.ts';

type Listed = { id: string; projectId: string; environment: string };

describe.each(databaseKinds)('GET /api/deployments on %s', (kind) => {
  it('filters by environment and by active releases, here and in the cloud, and pages through the result', async () => {
    const app = await startApp(kind);
    const { db } = app.database;
    const source = { type: 'git', url: 'https://git.example.com/a/b.git' };
    const made = await app.call('POST', '/api/projects', { token, body: { name: 'one', source } });
    const projectId = (made.body['data'] as unknown as { id: string }).id;
    const begin = async (environment: string) => {
      const body = { projectId, environment, autoStart: false };
      return (await app.call('POST', '/api/deployments', { token, body })).body['data'] as unknown as Listed;
    };
    const list = async (query: string) => (await app.call('GET', `/api/deployments?${query}`, { token })).body;
    const idsOf = async (query: string) => ((await list(query))['data'] as unknown as Listed[]).map(({ id }) => id);
    const first = await begin('staging');
    const production = await begin('production');
    const last = await begin('staging');
    const organizationId = (production as unknown as { organizationId: string }).organizationId;
    const cloudRow = (each: Listed, id: string) => ({
      id,
      organizationId,
      projectId,
      status: 'ready' as const,
      seenAt: 0,
      summary: JSON.stringify({ ...each, id, deployTarget: 'cloud' }),
    });
    const there = [cloudRow(first, `${first.id}a`), cloudRow(production, `${production.id}a`)];
    await db.insertInto('cloud_deployments').values(there).execute();
    expect(await idsOf('environment=staging')).toEqual([last.id, `${first.id}a`, first.id]);
    expect(await idsOf('environment=production')).toEqual([`${production.id}a`, production.id]);
    expect(await idsOf('environment=nowhere')).toEqual([]);
    expect(await idsOf(`environment=staging&limit=2&cursor=${last.id}`)).toEqual([`${first.id}a`, first.id]);
    expect((await list('environment=staging&limit=1'))['nextCursor']).toBe(last.id);
    expect(await idsOf('active=true')).toEqual([]);
    const active = (each: Listed) => JSON.stringify({ ...each, active: true, deployTarget: 'cloud' });
    await db.updateTable('deployments').set({ active: 1 }).where('id', '=', first.id).execute();
    await db
      .updateTable('cloud_deployments')
      .set({ summary: active({ ...production, id: `${production.id}a` }) })
      .where('id', '=', `${production.id}a`)
      .execute();
    expect(await idsOf('active=true')).toEqual([`${production.id}a`, first.id]);
    expect(await idsOf('active=true&environment=staging')).toEqual([first.id]);
    expect(await idsOf('active=false&limit=1')).toEqual([last.id]);
    expect(await idsOf('latest=true')).toEqual([`${production.id}a`, last.id].toSorted().toReversed());
    expect(await idsOf('latest=true&environment=production')).toEqual([`${production.id}a`, production.id]);
    expect(await idsOf('latest=true&environment=staging')).toEqual([last.id, `${first.id}a`]);
    expect(await idsOf(`latest=true&environment=staging&cursor=${last.id}`)).toEqual([`${first.id}a`]);
    expect(await idsOf('latest=true&active=true&environment=production')).toEqual([`${production.id}a`]);
    await app.close();
  });
});
