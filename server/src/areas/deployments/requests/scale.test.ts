import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownerToken as token, startApp, type TestApp } from '../../../../test/rig/app.ts';
import { exchanged } from '../../../../test/rig/restore.ts';
import type { Caller } from '../../../http/caller.ts';
import type { ProjectsPort } from '../model/projects-port.ts';
import { Scaling } from './scale.ts';
import { appOf, type Stack } from '../model/stack.ts';
import { requireMountable } from './volume-rules.ts';

describe('scaling before the first deployment', () => {
  let app: TestApp;
  let path: string;
  beforeEach(async () => {
    app = await startApp('sqlite');
    const made = await app.call('POST', '/api/projects', { token, body: { name: 'shop' } });
    path = `/api/projects/${(made.body['data'] as unknown as { id: string }).id}/scale`;
  });
  afterEach(() => app.close());

  it('limits the number of service names', async () => {
    const scale = (service?: string) => app.call('POST', path, { token, body: { service, replicas: 2 } });
    for (let i = 0; i < 100; i++) expect((await scale(`service-${i}`)).status).toBe(202);
    expect(await scale('one-more')).toMatchObject({
      status: 400,
      body: { details: [{ field: 'service', message: expect.stringContaining('at most 100') as string }] },
    });
    expect((await scale('service-7')).status, 'a known one').toBe(202);
    expect((await scale()).status, 'the app').toBe(202);
  });

  it('allows one replica only with an exclusive volume that is not mounted yet', async () => {
    const volumes = path.replace(/scale$/, 'volumes');
    const scale = (replicas: number) => app.call('POST', path, { token, body: { replicas } });
    await app.call('POST', volumes, { token, body: { name: 'data', path: 'data' } });
    expect(await scale(2)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('it writes to the volume data, which only one replica may do') as string },
    });
    expect((await scale(1)).status).toBe(202);
    await app.call('PATCH', `${volumes}/data`, { token, body: { overlap: true } });
    expect((await scale(2)).status).toBe(202);
  });
});

it('rejects a volume by the wanted number of replicas, not by that of the active release', () => {
  const service = { name: 'app', replicas: 1, mounts: [] };
  const stack = { app: {}, project: { services: [service], volumes: [] } } as unknown as Stack;
  expect(appOf(stack).replicas).toBe(1);
  const row = { name: 'data', path: 'data', environment: 'production', service: null, overlap: false };
  const add = (replicas: number) => () =>
    requireMountable(
      {
        project: { settings: { replicas, scale: {} } },
        rows: [],
        parts: {},
        engine: [],
        actives: new Map([['production', { stack, states: [] }]]),
      } as unknown as Parameters<typeof requireMountable>[0],
      row as unknown as Parameters<typeof requireMountable>[1],
    );
  expect(add(1)).not.toThrow();
  expect(add(3)).toThrow('3 replicas would write to it at the same time');
});

it('rejects a volume where the compose file already mounts something', () => {
  const mounts = [{ type: 'volume', volume: 'pg', target: '/var/lib/data', isReadOnly: false }];
  const stack = { project: { services: [{ name: 'db', replicas: 1, mounts }], volumes: [] } } as unknown as Stack;
  const add = (path: string) => () =>
    requireMountable(
      {
        project: { settings: { replicas: 1, scale: {} } },
        rows: [],
        parts: { containers: {} },
        engine: [],
        actives: new Map([['production', { stack, states: [] }]]),
      } as unknown as Parameters<typeof requireMountable>[0],
      { name: 'data', path, environment: 'production', service: 'db' } as unknown as Parameters<
        typeof requireMountable
      >[1],
    );
  expect(add('/var/lib/data')).toThrow('the compose file mounts something at /var/lib/data already');
  expect(add('/var/lib/other')).not.toThrow();
});

it('defers the change to the next deployment if the organization has limits', async () => {
  const web = [{ name: 'web', image: 'some' }];
  const { app, before, after } = await exchanged({ entries: web, version: 'v1' }, { entries: web, version: 'v2' }, {});
  const { db } = app.database;
  await db.deleteFrom('deployments').where('id', '=', after).execute();
  const row = await db.selectFrom('deployments').selectAll().where('id', '=', before).executeTakeFirstOrThrow();
  const project = {
    id: row.projectId,
    slug: 'shop',
    organizationId: row.organizationId,
    settings: { scale: {} },
    serverId: null,
  };
  const projects = { find: async () => project, scale: async () => {} } as unknown as ProjectsPort;
  const caller = { userId: 'usr_1', email: 'owner@example.com', ip: '127.0.0.1', via: 'token' } as unknown as Caller;
  const scaled = (hasLimits: boolean) => {
    const deps = { db, sealer: app.instance.sealer, projects, reconcileSoon: () => {}, hasLimits };
    return new Scaling(deps).scale(caller, project.id, { replicas: 2, environment: 'production' });
  };
  expect(await scaled(false)).toMatchObject({ service: 'web', replicas: 2, deploymentId: before });
  expect(await scaled(true)).toMatchObject({ service: 'web', replicas: 2, deploymentId: null });
  await app.close();
});
