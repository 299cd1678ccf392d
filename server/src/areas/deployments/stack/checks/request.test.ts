import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../../../test/rig/app.ts';
import { databaseKinds } from '../../../../../test/rig/databases.ts';
import { memoryDrivers } from '../../../../../test/rig/drivers.ts';
import { configSealLocation, type DeploymentConfig } from '../../model/model.ts';
import type { ContainerParts } from '../../model/parts.ts';

/** An engine that is configured but never used: these tests start nothing. */
const containers = { disk: () => Promise.resolve(undefined) } as unknown as ContainerParts;
const db = { name: 'db', image: 'postgres:17' };

describe.each(databaseKinds)('services of a request on %s', (kind) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp(kind, { drivers: { ...memoryDrivers(), containers } });
  });
  afterAll(() => app.close());

  const post = (path: string, body: object) => app.call('POST', path, { token: ownerToken, body });
  let made = 0;
  const newProject = async (fields: object = {}) => {
    const source = { type: 'services' };
    const { body } = await post('/api/projects', { name: `shop ${++made}`, source, ...fields });
    return (body as unknown as { data: { id: string } }).data.id;
  };
  const deploy = (projectId: string, fields: object) =>
    post('/api/deployments/build/access', { projectId, autoStart: false, ...fields });
  const configOf = async (id: string): Promise<DeploymentConfig> => {
    const query = app.database.db.selectFrom('deployments').selectAll().where('id', '=', id);
    const { config } = await query.executeTakeFirstOrThrow();
    return JSON.parse(app.instance.sealer.open(config, configSealLocation(id))) as DeploymentConfig;
  };
  const idOf = ({ body }: { body: object }) => (body as { deployment_id: string }).deployment_id;
  const count = async () => (await app.database.db.selectFrom('deployments').selectAll().execute()).length;

  it('are stored with the deployment and reused by the next ones', async () => {
    const project = await newProject();
    const services = [db, { name: 'web', image: 'x', dependsOn: ['db'], ports: ['80'], stop_signal: 'SIGINT' }];
    const publicEndpoints = [{ service: 'web', port: 8080 }];
    const first = await deploy(project, { services, publicEndpoints });
    expect([first.status, await configOf(idOf(first))]).toMatchObject([
      200,
      { services, publicEndpoints, trusted: false },
    ]);
    const again = await post(`/api/deployments/${idOf(first)}/redeploy`, {});
    expect(await configOf(idOf(again))).toMatchObject({ services, publicEndpoints });
    expect(await configOf(idOf(await deploy(project, {})))).toMatchObject({ services });
    expect(await configOf(idOf(await deploy(project, { services: [db] })))).toMatchObject({ services: [db] });
    const elsewhere = await deploy(project, { environment: 'preview' });
    expect([elsewhere.status, elsewhere.body]).toMatchObject([400, { details: [{ field: 'services' }] }]);
  });

  it('are required for a project without a source', async () => {
    const project = await newProject();
    const before = await count();
    for (const fields of [{}, { services: [] }]) {
      const { status, body } = await deploy(project, fields);
      expect([status, body]).toMatchObject([400, { details: [{ field: 'services' }] }]);
    }
    const { status, body } = await deploy(project, { services: [{ name: 'web', build: '.' }] });
    expect([status, body]).toMatchObject([
      400,
      { error: expect.stringContaining('web is built from source') as string },
    ]);
    expect(await count()).toBe(before);
  });

  it('need no upload if all of them are images', async () => {
    const project = await newProject({ source: { type: 'upload' } });
    expect((await deploy(project, { services: [db] })).status).toBe(200);
    const built = await deploy(project, { services: [{ name: 'web', build: '.' }] });
    expect([built.status, built.body]).toMatchObject([400, { details: [{ field: 'services[0]' }] }]);
    expect((await deploy(project, {})).body).toMatchObject({ details: [{ field: 'uploadSessionId' }] });
  });

  it("can be built from the project's source", async () => {
    const source = { type: 'git', url: 'https://git.example.com/shop.git' };
    const project = await newProject({ source });
    const services = [{ name: 'web', rootDirectory: 'apps/web', buildCommand: 'make' }, db];
    const answer = await deploy(project, { services });
    expect([answer.status, (await configOf(idOf(answer))).services]).toEqual([200, services]);
  });

  it('are reused for later commits until a request clears them', async () => {
    const source = { type: 'git', url: 'https://git.example.com/shop.git' };
    const projectId = await newProject({ source });
    const services = [{ name: 'web', rootDirectory: 'apps/web' }, db];
    const serve = async (fields: object) => {
      const id = idOf(await deploy(projectId, fields));
      const rows = app.database.db.updateTable('deployments');
      await rows.set({ active: 0 }).where('projectId', '=', projectId).execute();
      await rows.set({ active: 1 }).where('id', '=', id).execute();
    };
    const next = async () => {
      const { body } = await post('/api/deployments', { projectId, autoStart: false });
      return configOf((body as unknown as { data: { id: string } }).data.id);
    };
    expect(await next()).not.toHaveProperty('services');
    await serve({ services, publicEndpoints: [{ service: 'web', port: 81 }], envVars: { ONCE: '1' } });
    expect(await next()).toMatchObject({ services, publicEndpoints: [{ service: 'web', port: 81 }], variables: [] });
    await serve({});
    expect(await next()).not.toHaveProperty('services');
  });

  it.each<[string, object, string]>([
    ['no name', { services: [{ image: 'x' }] }, 'services.0.name'],
    ['a hostile name', { services: [{ name: '../x', image: 'x' }] }, 'services.0.name'],
    ['a name that looks like an option', { services: [{ name: '-x', image: 'x' }] }, 'services.0.name'],
    ['a name with a line break', { services: [{ name: 'x\ny', image: 'x' }] }, 'services.0.name'],
    ['one name twice', { services: [db, db] }, 'services.1.name'],
    ['names that differ in case alone', { services: [db, { ...db, name: 'DB' }] }, 'services[1]'],
    ['an image that can never be', { services: [db, { name: 'web', image: 'UPPER CASE!!' }] }, 'services[1]'],
    ['no list', { services: { web: db } }, 'services'],
    ['too many', { services: Array.from({ length: 101 }, (_, i) => ({ name: `s${i}`, image: 'x' })) }, 'services'],
    ['a port that is none', { services: [{ ...db, port: 0 }] }, 'services.0.port'],
    ['ports that are none', { services: [db, { name: 'b', image: 'x', ports: ['http'] }] }, 'services[1]'],
    ['what is not there', { services: [{ ...db, dependsOn: ['x'] }] }, 'services[0]'],
    ['a circle', { services: [{ ...db, dependsOn: ['db'] }] }, 'services[0]'],
    ['a label of ours', { services: [{ ...db, labels: { 'mooring.project': 'x' } }] }, 'services[0]'],
    ['the same port', { services: [{ ...db, ports: ['1:1', '1:2'] }] }, 'services[0]'],
    ['the machine', { services: [{ ...db, privileged: true }] }, 'services[0]'],
    ['a folder of the machine', { services: [{ ...db, volumes: ['/:/host'] }] }, 'services[0]'],
    ['an endpoint of nobody', { services: [db], publicEndpoints: [{ service: 'web' }] }, 'publicEndpoints'],
  ])('are rejected with %s', async (_what, fields, field) => {
    const before = await count();
    const { status, body } = await deploy(await newProject(), fields);
    expect([status, body]).toMatchObject([400, { code: 'bad_request' }]);
    expect((body as unknown as { details: { field: string }[] }).details[0]!.field).toBe(field);
    expect(await count()).toBe(before);
  });

  it.each(['build/access', 'plan'])('are rejected by name if they can never be deployed: %s', async (route) => {
    const projectId = await newProject();
    const ask = async (services: object[]) => (await post(`/api/deployments/${route}`, { projectId, services })).body;
    expect(await ask([{ name: 'web', image: 'UPPER CASE!!' }])).toMatchObject({
      error: 'services[0]: services.web.image: "UPPER CASE!!" is not an image name',
    });
    expect(await ask([db, { ...db, name: 'Db' }])).toMatchObject({
      error: expect.stringContaining('services db and Db differ in case only') as string,
    });
  });

  it('may access the machine if the instance owner allows it', async () => {
    const services = [{ ...db, privileged: true }];
    const answer = await deploy(await newProject({ trusted: true }), { services });
    expect([answer.status, (await configOf(idOf(answer))).trusted]).toEqual([200, true]);
  });

  it('need a container engine', async () => {
    const without = await startApp(kind);
    try {
      const call = (path: string, body: object) => without.call('POST', path, { token: ownerToken, body });
      const { body: project } = await call('/api/projects', { name: 'shop', source: { type: 'services' } });
      const projectId = (project as unknown as { data: { id: string } }).data.id;
      const { status, body } = await call('/api/deployments/build/access', { projectId, services: [db] });
      expect([status, body]).toMatchObject([400, { details: [{ field: 'services' }] }]);
      expect((body as unknown as { error: string }).error).toContain('need Docker');
    } finally {
      await without.close();
    }
  });
});
