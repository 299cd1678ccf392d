import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { backupCalls, deployWithVolume } from '../rig/backups.ts';
import { newFolder } from '../rig/children.ts';
import { readInside } from '../rig/inside.ts';
import { type Killable, startKillable } from '../rig/killable.ts';
import { s3Key, startRigS3 } from '../rig/s3.ts';
import { until } from '../rig/until.ts';

/** `kill -9` of the service in every phase of a backup and of a restore. */
describe('kill -9 of the service', () => {
  let killable: Killable;
  let root: string;
  let project: string;
  let volume: string;
  let folder: string;
  let policyId: string;
  let count = 0;
  const { get, post, finished, newPolicy, begin, run } = backupCalls(() => killable.now);

  beforeAll(async () => {
    root = newFolder('backups');
    killable = await startKillable({ BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root });
    ({ project, volume } = await deployWithVolume(killable.now));
  });
  afterAll(() => killable?.now.stop());
  beforeEach(async () => {
    folder = join(root, `${++count}`);
    for (const name of ['one', 'two']) writeFileSync(join(volume, name), randomBytes(8_000_000));
    // Slow enough to be killed in the middle.
    ({ policyId } = await newPolicy(project, folder, { bandwidthLimit: 8_000_000 }));
  });

  const phaseOf = (id: string) =>
    readInside(
      killable.now.dataDir,
      (database) =>
        database.prepare('select progress, status, finished_at from backup_jobs where id = ?').get(id) as {
          progress: string;
          status: string;
          finished_at: number | null;
        },
    );

  /** Kills it once the job is in the phase, or has ended. */
  async function killIn(id: string, phase: string, delayMs = 0, meanwhile = () => {}): Promise<void> {
    await until(
      `${id} is ${phase}`,
      () => {
        const { progress, finished_at } = phaseOf(id);
        return (JSON.parse(progress) as { phase: string }).phase.startsWith(phase) || finished_at !== null;
      },
      30_000,
      5,
    );
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await killable.kill();
    meanwhile();
    await killable.start();
  }

  /** Manifests mark backups that are whole. */
  const manifests = () =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true })
          .map(String)
          .filter((name) => name.endsWith('manifest.json'))
      : [];

  const moments = [
    { phase: 'preparing', delayMs: 0 },
    { phase: 'reading', delayMs: 0 },
    { phase: 'sending', delayMs: 0 },
    { phase: 'sending', delayMs: 700 },
    { phase: 'verifying', delayMs: 0 },
  ];

  it.each(moments)('a backup is completed after $phase and $delayMs ms', async ({ phase, delayMs }) => {
    const id = await begin(policyId);
    await killIn(id, phase, delayMs);
    const backup = await finished('/api/backups', id);
    expect(backup).toMatchObject({ status: 'completed', error: null });
    expect(backup.archives).toHaveLength(1);
    expect(manifests()).toHaveLength(1);
    const drill = (await post(`/api/backup-policies/${policyId}/drill`)).body.data.id;
    expect(await finished('/api/restores', drill)).toMatchObject({ status: 'completed' });
    const { text } = await get(`/api/backups/${id}/stream`);
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(ids).toEqual(ids.map((_, i) => i + 1));
  });

  it('a packed archive is sent again, not read again', async () => {
    writeFileSync(join(volume, 'mark'), 'before');
    const id = await begin(policyId);
    await killIn(id, 'sending', 300, () => writeFileSync(join(volume, 'mark'), 'after'));
    const backup = await finished('/api/backups', id);
    expect(backup).toMatchObject({ status: 'completed', error: null });
    const file = await get(`/api/backups/${id}/archives/${backup.archives[0]!.id}/file?path=mark`);
    expect(file.text).toBe('before');
    expect(readdirSync(join(killable.now.dataDir, 'tmp/backups'))).toEqual([]);
  });

  it.each([true, false])('an archive is as the policy says after a change to encryption %s', async (enabled) => {
    const encrypting = { bandwidthLimit: 8_000_000, encryption: { enabled: !enabled } };
    const own = (await newPolicy(project, folder, encrypting)).policyId;
    const id = await begin(own);
    await killIn(id, 'sending', 300, () => {
      const database = new DatabaseSync(join(killable.now.dataDir, 'mooring.db'));
      const change =
        "update backup_policies set settings = json_set(settings, '$.encryption.enabled', json(?)) where id = ?";
      expect(database.prepare(change).run(String(enabled), own).changes).toBe(1);
      database.close();
    });
    const backup = await finished('/api/backups', id);
    expect(backup).toMatchObject({ status: 'completed', archives: [{ encrypted: enabled }] });
    const start = readFileSync(join(folder, backup.archives[0]!.key)).toString('latin1', 0, 3);
    expect(start === 'age').toBe(enabled);
    const drill = (await post(`/api/backup-policies/${own}/drill`)).body.data.id;
    expect(await finished('/api/restores', drill)).toMatchObject({ status: 'completed' });
  });

  it('an upload to S3 continues with the parts that are missing', async () => {
    const s3 = await startRigS3();
    onTestFinished(() => s3.stop());
    const parts: number[] = [];
    s3.interfere = ({ method, url = '' }) => {
      const number = /partNumber=(\d+)/.exec(url)?.[1];
      if (method === 'PUT' && number) parts.push(Number(number));
      return false;
    };
    writeFileSync(join(volume, 'large'), randomBytes(40_000_000));
    onTestFinished(() => rmSync(join(volume, 'large')));
    const { endpoint } = s3;
    const { data: destination } = (
      await post('/api/backup-destinations', { name: 's3', kind: 's3_compatible', endpoint, ...s3Key })
    ).body;
    const sending = { bandwidthLimit: 16_000_000, destinationIds: [destination.id] };
    const id = await begin((await newPolicy(project, folder, sending)).policyId);
    await until('three parts are sent', () => parts.length >= 3, 30_000, 5);
    await killable.kill();
    const before = parts.splice(0);
    await killable.start();
    const backup = await finished('/api/backups', id);
    expect(backup).toMatchObject({ status: 'completed', error: null });
    expect(parts).not.toContain(1);
    expect(new Set([...before, ...parts]).size).toBe(Math.ceil(backup.archives[0]!.bytes / 8_388_608));
  });

  it('old backups are removed in the end, and nothing half of them stays', async () => {
    await run(policyId);
    await run(policyId);
    const id = await begin(policyId);
    await until('it is stored', () => phaseOf(id).status === 'completed', 30_000, 2);
    await killable.kill();
    await killable.start();
    await run(policyId);
    await until('two are left', () => manifests().length === 2);
  });

  it.each([
    { phase: 'checking', delayMs: 0 },
    { phase: 'preparing', delayMs: 0 },
    { phase: 'sending', delayMs: 300 },
    { phase: 'restoring', delayMs: 0 },
    { phase: 'restoring', delayMs: 30 },
  ])('a restore in place is whole after $phase and $delayMs ms', async ({ phase, delayMs }) => {
    const before = newFolder('before');
    cpSync(volume, before, { recursive: true, verbatimSymlinks: true });
    const backup = await run(policyId);
    writeFileSync(join(volume, 'one'), 'changed');
    rmSync(join(volume, 'two'));
    const { id } = (await post(`/api/backups/${backup.id}/restore`, { target: 'in-place', confirm: true })).body.data;
    await killIn(id, phase, delayMs);
    expect(await finished('/api/restores', id)).toMatchObject({ status: 'completed', error: null });
    execFileSync('diff', ['-r', '--no-dereference', before, volume]);
    const undo = (await post(`/api/restores/${id}/undo`)).body.data.id;
    expect(await finished('/api/restores', undo)).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(volume, 'one'), 'utf8')).toBe('changed');
  });

  it('a cancelled backup leaves nothing that looks whole, within a second', async () => {
    const id = await begin(policyId);
    await until('it is sent', () => phaseOf(id).progress.includes('sending'), 30_000, 5);
    const began = Date.now();
    await post(`/api/backups/${id}/cancel`);
    expect(await finished('/api/backups', id)).toMatchObject({ status: 'cancelled', archives: [] });
    expect(Date.now() - began).toBeLessThan(1000);
    expect(manifests()).toEqual([]);
  });
});
