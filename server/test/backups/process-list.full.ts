import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupCalls } from '../rig/backups.ts';
import { mariadbData, postgresData } from '../rig/data-images.ts';
import { deploy, ensureProject, folderOf } from '../rig/deploy.ts';
import { makeImage } from '../rig/docker-images.ts';
import { type DockerService, startDockerService } from '../rig/docker-service.ts';
import { has } from '../rig/parts.ts';
import { commandLinesDuring } from '../rig/process-list.ts';
import { type Proftpd, startProftpd } from '../rig/proftpd.ts';
import { type RigS3, s3Key, startRigS3 } from '../rig/s3.ts';
import { until } from '../rig/until.ts';

const passwords = { postgres: 'never-shown-by-postgres', mariadb: 'never-shown-by-mariadb' };
const compose = {
  services: {
    web: {
      image: 'node:22-slim',
      command: ['node', '-e', "require('http').createServer((_, r) => r.end('ok')).listen(3000)"],
      ports: ['3000'],
    },
    shop: {
      image: 'postgres:15',
      environment: { POSTGRES_USER: 'shop', POSTGRES_PASSWORD: passwords.postgres, POSTGRES_DB: 'shop' },
      volumes: ['shop:/var/lib/postgresql/data'],
    },
    wiki: {
      image: 'mariadb:10',
      environment: { MARIADB_ROOT_PASSWORD: passwords.mariadb, MARIADB_DATABASE: 'wiki' },
      volumes: ['wiki:/var/lib/mysql'],
    },
  },
  volumes: { shop: {}, wiki: {} },
};

/** Anyone on the machine can read the command lines of all processes. */
describe.runIf(has('docker') && has('mariadb') && has('proftpd'))('the process list', () => {
  let rig: DockerService;
  let s3: RigS3;
  let sftp: Proftpd;
  let policyId: string;
  let secrets: string[];
  const { post, run, restore, finished } = backupCalls(() => rig.service);

  beforeAll(async () => {
    const secretKey = randomBytes(32).toString('base64');
    rig = await startDockerService({ MOORING_SECRET_KEY: secretKey });
    [s3, sftp] = [await startRigS3(), await startProftpd()];
    for (const image of [postgresData(), mariadbData()]) await makeImage(rig.docker.client, image);
    const project = await ensureProject(rig.service, 'shop');
    const files = folderOf({ 'compose.yaml': JSON.stringify(compose) });
    expect(await deploy(rig.service, project, files)).toMatchObject({ error: null });
    const { bucket, accessKeyId, secretAccessKey } = s3Key;
    const places = [
      { name: 's3', kind: 's3_compatible', endpoint: s3.endpoint, bucket, accessKeyId, secretAccessKey },
      {
        name: 'sftp',
        kind: 'sftp',
        sshHost: '127.0.0.1',
        sshPort: sftp.port,
        sshUser: sftp.user,
        sftpPassword: sftp.password,
      },
    ];
    const destinationIds = [];
    for (const place of places) destinationIds.push((await post('/api/backup-destinations', place)).body.data.id);
    const shared = { schedule: '30 3 * * *', retention: { last: 2 }, sources: 'all' };
    const body = { name: 'nightly', projectId: project, destinationIds, ...shared };
    policyId = (await post('/api/backup-policies', body)).body.data.id;
    await until('the databases accept connections', areReady, 90_000);
    inService('shop', { PGPASSWORD: passwords.postgres }, ['psql', '-XqU', 'shop', '-c', rows('text')]);
    inService('wiki', { MYSQL_PWD: passwords.mariadb }, ['mariadb', '-uroot', 'wiki', '-e', rows('varchar(100)')]);
    const { text } = await post('/api/backup-keys/export');
    const identities = text.match(/AGE-SECRET-KEY-1[A-Z0-9]+/g) ?? [];
    expect(identities).toHaveLength(1);
    secrets = [...Object.values(passwords), secretKey, secretAccessKey, sftp.password, ...identities];
  }, 240_000);
  afterAll(async () => {
    await rig?.close();
    await sftp?.stop();
    await s3?.stop();
  });

  const rows = (type: string) => `create table item (body ${type}); insert into item values ('one'), ('two')`;
  function inService(service: string, env: Record<string, string>, args: string[]): string {
    const docker = ['-H', rig.docker.address];
    const filter = ['--filter', `label=mooring.service=${service}`];
    const id = execFileSync('docker', [...docker, 'ps', '-q', ...filter], { encoding: 'utf8' }).trim();
    const names = Object.keys(env).flatMap((name) => ['-e', name]);
    const environment = { ...process.env, ...env };
    return execFileSync('docker', [...docker, 'exec', ...names, id, ...args], {
      encoding: 'utf8',
      env: environment,
      stdio: 'pipe',
    });
  }
  const areReady = () => {
    try {
      inService('shop', { PGPASSWORD: passwords.postgres }, ['psql', '-XqU', 'shop', '-c', 'select 1']);
      inService('wiki', { MYSQL_PWD: passwords.mariadb }, ['mariadb', '-uroot', 'wiki', '-e', 'select 1']);
      return true;
    } catch {
      return false;
    }
  };

  /** `programs` have to be among the processes: otherwise the list would prove nothing. */
  async function expectNoSecrets(programs: RegExp[], task: () => Promise<unknown>): Promise<void> {
    const seen = await commandLinesDuring(task);
    for (const program of programs) expect(seen).toContainEqual(expect.stringMatching(program));
    for (const secret of secrets) expect(seen.filter((line) => line.includes(secret))).toEqual([]);
  }

  it('shows no secret while databases are dumped, uploaded and restored', async () => {
    let id = '';
    await expectNoSecrets([/^(\S*\/)?pg_dump /, /^(\S*\/)?(mariadb-dump|mysqldump) /], async () => {
      const backup = await run(policyId);
      expect(backup).toMatchObject({ status: 'completed', error: null });
      expect(backup.archives).toHaveLength(4);
      ({ id } = backup);
    });
    await expectNoSecrets([/^(\S*\/)?(pg_restore|psql) /, /^(\S*\/)?(mariadb|mysql) /], async () => {
      const done = await restore(id, { target: 'in-place', confirm: true });
      expect(done).toMatchObject({ status: 'completed', error: null });
      const drill = (await post(`/api/backup-policies/${policyId}/drill`)).body.data.id;
      expect(await finished('/api/restores', drill)).toMatchObject({ status: 'completed', error: null });
    });
  }, 240_000);

  it('would show a secret in a command line', async () => {
    const shown = `sleep 0.3; : ${passwords.postgres}`;
    const seen = await commandLinesDuring(async () => execFileSync('sh', ['-c', shown]));
    expect(seen).toContainEqual(expect.stringContaining(passwords.postgres));
  });
});
