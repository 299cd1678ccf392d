import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupCalls } from '../rig/backups.ts';
import { newFolder } from '../rig/children.ts';
import { postgresData } from '../rig/data-images.ts';
import { ask, deploy, ensureProject, folderOf } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { runIn } from '../rig/in-service.ts';
import { until } from '../rig/until.ts';

const compose = `
services:
  web:
    image: node:22-slim
    command: node -e "require('http').createServer((_, r) => r.end('ok')).listen(3000)"
    ports: ['3000']
    volumes: ['files:/files']
    depends_on: [db]
  db:
    image: postgres:15
    environment: { POSTGRES_USER: shop, POSTGRES_PASSWORD: 'never-shown', POSTGRES_DB: shop }
    volumes: ['data:/var/lib/postgresql/data']
volumes: { files: {}, data: {} }
`;

describe('backups of a compose stack', () => {
  let rig: DockerService;
  let policyId: string;
  let url: string;
  const { get, post, finished, newPolicy, run, restore } = backupCalls(() => rig.service);

  beforeAll(async () => {
    const root = newFolder('backups');
    rig = await startDockerService({ BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root });
    await makeImage(rig.docker.client, postgresData());
    const project = await ensureProject(rig.service, 'shop');
    const deployment = await deploy(rig.service, project, folderOf({ 'compose.yaml': compose }));
    expect(deployment).toMatchObject({ error: null });
    url = deployment.urls[0]!;
    await until('the database accepts connections', () => sql('select 1') === '1', 60_000);
    sql("create table item (body text); insert into item select repeat('x', 100) from generate_series(1, 5000)");
    inService('web', ['sh', '-c', 'echo first > /files/a.txt']);
    const drill = { schedule: '0 5 * * 0', query: 'select count(*) from item' };
    ({ policyId } = await newPolicy(project, `${root}/shop`, { drill }));
  }, 240_000);
  afterAll(() => rig?.close());

  const inService = (service: string, args: string[], env?: Record<string, string>) =>
    runIn(rig.docker, service, args, env);
  const sql = (text: string) =>
    inService('db', ['psql', '-XqAt', '-U', 'shop', '-d', 'shop', '-c', text], { PGPASSWORD: 'never-shown' });

  it('contain the database and the volume, are proven, and restored in place', async () => {
    const backup = await run(policyId);
    expect(backup).toMatchObject({ status: 'completed', error: null });
    expect(backup.archives.map(({ name }) => name).toSorted()).toEqual(['database-db-shop', 'volume-files']);

    const drill = (await post(`/api/backup-policies/${policyId}/drill`)).body.data.id;
    const proven = await finished('/api/restores', drill);
    expect(proven).toMatchObject({ status: 'completed', proof: { result: expect.stringContaining('5000') } });

    sql('delete from item where ctid in (select ctid from item limit 4000)');
    inService('web', ['sh', '-c', 'echo second > /files/a.txt']);
    const done = await restore(backup.id, { target: 'in-place', confirm: true });
    expect(done).toMatchObject({ status: 'completed', error: null, undoable: true });
    expect(sql('select count(*) from item')).toBe('5000');
    expect(await ask(url)).toMatchObject({ status: 200 });
    expect(inService('web', ['cat', '/files/a.txt'])).toBe('first');

    const undo = (await post(`/api/restores/${done.id}/undo`)).body.data.id;
    expect(await finished('/api/restores', undo)).toMatchObject({ status: 'completed' });
    expect(sql('select count(*) from item')).toBe('1000');
    await until('the web service runs again', () => inService('web', ['cat', '/files/a.txt']) === 'second');

    const { text } = await get(`/api/restores/${done.id}/stream`);
    expect(text + rig.service.output()).not.toContain('never-shown');
  }, 240_000);
});
