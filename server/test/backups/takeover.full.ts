import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { isTemporary } from '../../src/drivers/storage/keys.ts';
import { backupCalls, type BackupData } from '../rig/backups.ts';
import { newFolder } from '../rig/children.ts';
import { deploy, ensureProject, folderOf, json } from '../rig/deploy.ts';
import { makeImage, node } from '../rig/docker-images.ts';
import { sayFigures } from '../rig/figures.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { type ManagedServer, startManagedServer } from '../rig/managed-server.ts';
import { has } from '../rig/parts.ts';
import { newDatabase, query } from '../rig/postgres.ts';
import { until } from '../rig/until.ts';

const compose = {
  services: {
    web: {
      image: node.name,
      command: ['node', '-e', "require('http').createServer((_, r) => r.end('ok')).listen(3000)"],
      ports: ['3000'],
      volumes: ['files:/files'],
    },
  },
  volumes: { files: {} },
};
type Row = { lease_owner: string | null; progress: string; fence: number };

/** Two service processes with one database; the data is on a server that both reach. */
describe.runIf(has('docker') && has('sshd') && has('postgres'))('a replica that ends or hangs', () => {
  let server: ManagedServer;
  let database: string;
  let replicas: Killable[];
  let root: string;
  let folder: string;
  let project: string;
  let policyId: string;
  let count = 0;
  let asked: Killable;
  const closing: (() => unknown)[] = [];
  const { post, finished, newPolicy, begin, run } = backupCalls(() => asked.now);

  beforeAll(async () => {
    server = await startManagedServer();
    closing.push(() => server.close());
    await makeImage(server.docker.client, node);
    database = await newDatabase(inject('postgresUrl'));
    root = newFolder('backups');
    const env = {
      DATABASE_URL: database,
      MOORING_SECRET_KEY: randomBytes(32).toString('base64'),
      MOORING_START_TIMEOUT: '20',
      BACKUP_ALLOW_LOCAL_DESTINATION: 'true',
      BACKUP_LOCAL_ROOT: root,
    };
    replicas = [await startKillable(env), await startKillable(env)];
    closing.push(...replicas.map((each) => () => each.now.stop()));
    asked = replicas[0]!;
    const body = { ...server.body, edgePort: 8080, edgeTlsPort: 8443, baseDomain: 'apps.example.com' };
    const { data } = await json<{ data: { id: string } }>(asked.now.post('/api/servers', body));
    project = await ensureProject(asked.now, 'shared', { serverId: data.id });
    const there = { deployTarget: 'server', serverId: data.id };
    const files = folderOf({ 'compose.yaml': JSON.stringify(compose) });
    expect(await deploy(asked.now, project, files, there)).toMatchObject({ error: null });
  }, 240_000);
  afterAll(async () => {
    for (const each of closing.toReversed()) await each();
  });
  beforeEach(async () => {
    asked = replicas[0]!;
    folder = join(root, `${++count}`);
    inService('rm -rf /files/* && cd /files && for i in 1 2 3 4; do head -c 6000000 /dev/urandom > f$i; done');
    // Slow enough to be hit in the middle.
    ({ policyId } = await newPolicy(project, folder, { bandwidthLimit: 6_000_000 }));
  });

  function inService(script: string): string {
    const docker = ['-H', server.docker.address];
    const label = 'label=mooring.service=web';
    const id = execFileSync('docker', [...docker, 'ps', '-q', '--filter', label], { encoding: 'utf8' }).trim();
    return execFileSync('docker', [...docker, 'exec', id, 'sh', '-c', script], { encoding: 'utf8' }).trim();
  }
  const sums = () => inService('cd /files && sha256sum *');
  const rowOf = async (id: string) =>
    (await query(database, `select lease_owner, progress, fence from backup_jobs where id = '${id}'`))[0] as Row;
  const ownerOf = ({ now }: Killable): string => readFileSync(join(now.dataDir, 'replica.id'), 'utf8').trim();

  /** Waits for the phase and returns the replica that works on the job, and the other one. */
  async function holderIn(id: string, phase: string): Promise<{ holder: Killable; other: Killable }> {
    const isIn = async () => (JSON.parse((await rowOf(id)).progress) as BackupData['progress']).phase.startsWith(phase);
    await until(`${id} is ${phase}`, isIn, 60_000, 5);
    const { lease_owner: owner } = await rowOf(id);
    const holder = replicas.find((each) => ownerOf(each) === owner)!;
    return { holder, other: replicas.find((each) => each !== holder)! };
  }

  /** Ends or freezes the replica in the phase. Returns the job, which the other one has ended; the first one works again
   * by then. */
  async function takenOver(how: string, path: '/api/backups' | '/api/restores', id: string, phase: string) {
    const { holder, other } = await holderIn(id, phase);
    const began = Date.now();
    if (how === 'kill -9') await holder.kill();
    else holder.now.child.kill('SIGSTOP');
    asked = other;
    await until('the other has it', async () => (await rowOf(id)).fence === 2, 60_000);
    const takenAfterMs = Date.now() - began;
    const before = await finished(path, id);
    sayFigures(`${how} while ${phase}`, { takenAfterMs, wholeMs: Date.now() - began });
    if (how === 'kill -9') await holder.start();
    else holder.now.child.kill('SIGCONT');
    const left = join(holder.now.dataDir, 'tmp/backups', id);
    await until('the first one has cleaned up', () => !existsSync(left), 60_000);
    return before;
  }

  /** The destination has just the recorded archive and a manifest. A killed upload leaves a file with a temporary name,
   * which is no archive, and which the destination's sweep removes. */
  function expectOneSet(backup: BackupData, how: string): void {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    const names = files.map(({ name }) => name).filter((name) => how !== 'kill -9' || !isTemporary(name));
    expect(names.toSorted()).toEqual(['manifest.json', 'volume-files.tar.zst.age']);
    const [archive, ...others] = backup.archives;
    expect(others).toEqual([]);
    const content = readFileSync(join(folder, archive!.key));
    expect(createHash('sha256').update(content).digest('hex')).toBe(archive!.sha256);
  }

  it.each([
    { how: 'kill -9', phase: 'reading' },
    { how: 'kill -9', phase: 'sending' },
    { how: 'SIGSTOP', phase: 'sending' },
    { how: 'SIGSTOP', phase: 'verifying' },
  ])(
    'after $how while $phase, the other one completes the backup',
    async ({ how, phase }) => {
      const id = await begin(policyId);
      const backup = await takenOver(how, '/api/backups', id, phase);
      expect(backup).toMatchObject({ status: 'completed', error: null });
      expectOneSet(backup, how);
      const drill = (await post(`/api/backup-policies/${policyId}/drill`)).body.data.id;
      expect(await finished('/api/restores', drill)).toMatchObject({ status: 'completed' });
    },
    180_000,
  );

  it.each([
    { how: 'kill -9', phase: 'restoring' },
    { how: 'SIGSTOP', phase: 'sending' },
    { how: 'SIGSTOP', phase: 'restoring' },
  ])(
    'after $how while $phase, the other one completes the restore in place',
    async ({ how, phase }) => {
      const before = sums();
      const backup = await run(policyId);
      inService('cd /files && echo changed > f1 && rm f2');
      const { id } = (await post(`/api/backups/${backup.id}/restore`, { target: 'in-place', confirm: true })).body.data;
      expect(await takenOver(how, '/api/restores', id, phase)).toMatchObject({ status: 'completed', error: null });
      await until('the service runs again', () => sums() === before);
      const undo = (await post(`/api/restores/${id}/undo`)).body.data.id;
      expect(await finished('/api/restores', undo)).toMatchObject({ status: 'completed' });
      await until('it is undone', () => inService('cd /files && echo $(cat f1) $(ls)') === 'changed f1 f3 f4');
    },
    180_000,
  );
});
