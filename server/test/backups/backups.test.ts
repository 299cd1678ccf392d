import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Packing } from '../../src/lib/archive/packing.ts';
import { ownerToken } from '../rig/app.ts';
import { backupCalls, deployWithVolume } from '../rig/backups.ts';
import { newFolder } from '../rig/children.ts';
import { ask } from '../rig/deploy.ts';
import { type Service, startService } from '../rig/service.ts';
import { until } from '../rig/until.ts';

describe('backups', () => {
  let service: Service;
  let root: string;
  let project: string;
  let volume: string;
  let url: string;
  let folder: string;
  let destinationId: string;
  let policyId: string;
  let count = 0;
  const { call, get, post, finished, newPolicy, ...calls } = backupCalls(() => service);
  const run = () => calls.run(policyId);
  const { restore } = calls;
  const policy = async () => (await get(`/api/backup-policies/${policyId}`)).body.data;

  beforeAll(async () => {
    root = newFolder('backups');
    service = await startService({ env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root } });
    ({ project, volume, url } = await deployWithVolume(service));
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    folder = join(root, `${++count}`);
    writeFileSync(join(volume, 'a.txt'), 'first\n');
    for (const name of ['new.txt', 'start.cjs']) rmSync(join(volume, name), { force: true });
    ({ destinationId, policyId } = await newPolicy(project, folder));
  });

  it('write archives that age, zstd and tar restore', async () => {
    expect(await policy()).toMatchObject({ health: 'never', lastRun: null, enabled: true, sources: 'all' });
    const backup = await run();
    expect(backup).toMatchObject({ status: 'completed', error: null, trigger: 'manual', policyId, projectId: project });
    const [archive] = backup.archives;
    expect(archive).toMatchObject({ name: 'volume-uploads', encrypted: true, contentBytes: 3_000_006 });
    expect(await policy()).toMatchObject({ health: 'ok', lastRun: { id: backup.id, status: 'completed' } });
    const file = join(folder, archive!.key);
    const manifest = JSON.parse(readFileSync(join(file, '../manifest.json'), 'utf8')) as { archives: object[] };
    expect(manifest.archives).toEqual([expect.objectContaining({ key: archive!.key, sha256: archive!.sha256 })]);
    const exported = (await post('/api/backup-keys/export')).body.data['identities'] as string;
    const key = join(newFolder('key'), 'key.txt');
    writeFileSync(key, exported);
    const to = newFolder('restored');
    const plain = execFileSync('age', ['-d', '-i', key, file], { maxBuffer: 100_000_000 });
    const tar = execFileSync('zstd', ['-d', '-c'], { input: plain, maxBuffer: 100_000_000 });
    execFileSync('tar', ['-x', '-C', to], { input: tar });
    execFileSync('diff', ['-r', '--no-dereference', volume, join(to, 'data')]);
    const { text } = await call('GET', '/api/audit');
    expect(text).toContain('backup_key.exported');
    expect(text).not.toContain('AGE-SECRET-KEY');
  });

  it('refuse sources that do not exist, and destinations that are in use', async () => {
    const wrong = { sources: [{ type: 'volume', volume: 'upload' }] };
    const answer = await call('PATCH', `/api/backup-policies/${policyId}`, wrong);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('There is volume-uploads');
    const used = await call('DELETE', `/api/backup-destinations/${destinationId}`);
    expect(used.status).toBe(409);
    expect(used.text).toContain('is used by the backup policy');
  });

  it('are restored in place, which can be undone', async () => {
    const backup = await run();
    writeFileSync(join(volume, 'a.txt'), 'second\n');
    writeFileSync(join(volume, 'new.txt'), 'new\n');
    const unconfirmed = await post(`/api/backups/${backup.id}/restore`, { target: 'in-place' });
    expect([unconfirmed.status, unconfirmed.body.details?.map(({ field }) => field)]).toEqual([400, ['confirm']]);
    const done = await restore(backup.id, { target: 'in-place', confirm: true });
    expect(done).toMatchObject({ status: 'completed', error: null, undoable: true, backupId: backup.id, policyId });
    expect(readFileSync(join(volume, 'a.txt'), 'utf8')).toBe('first\n');
    expect(existsSync(join(volume, 'new.txt'))).toBe(false);
    const before = (await get(`/api/backups/${String(done['beforeBackupId'])}`)).body.data;
    expect(before).toMatchObject({ status: 'completed', trigger: 'before-restore' });
    const undo = await finished('/api/restores', (await post(`/api/restores/${done.id}/undo`)).body.data.id);
    expect(undo).toMatchObject({ status: 'completed', undoOf: done.id });
    expect(readFileSync(join(volume, 'a.txt'), 'utf8')).toBe('second\n');
    expect(existsSync(join(volume, 'new.txt'))).toBe(true);
  });

  it('are restored in place, and the app responds then, or the log says why it does not', async () => {
    const starts = (program: string) => writeFileSync(join(volume, 'start.cjs'), program);
    const inPlace = { target: 'in-place', confirm: true };
    starts('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500)');
    expect(await restore((await run()).id, inPlace)).toMatchObject({ status: 'completed' });
    expect(await ask(url)).toMatchObject({ status: 200, body: 'ok' });
    starts("console.error('Error: no license'); process.exit(3)");
    const broken = (await run()).id;
    starts('');
    const done = await restore(broken, inPlace);
    expect(done).toMatchObject({ status: 'completed', error: null });
    const { text } = await get(`/api/restores/${done.id}/stream`);
    expect(text).toMatch(/The data is restored, but the app did not come back: it exited (?:again )?with exit code 3/);
    const undo = await finished('/api/restores', (await post(`/api/restores/${done.id}/undo`)).body.data.id);
    expect(undo).toMatchObject({ status: 'completed' });
    expect(await ask(url)).toMatchObject({ status: 200 });
  });

  it('are restored to a new volume, to a scratch place, and by drills that leave nothing', async () => {
    const backup = await run();
    const fresh = await restore(backup.id, { target: 'new-volume', names: { 'volume-uploads': 'uploads-2' } });
    expect(fresh).toMatchObject({ status: 'completed', results: [{ source: 'volume-uploads' }] });
    execFileSync('diff', ['-r', '--no-dereference', volume, join(volume, '../uploads-2')]);
    const path = { target: 'new-volume', names: { 'volume-uploads': 'uploads-3' }, path: 'inner/none' };
    expect(await restore(backup.id, path)).toMatchObject({ status: 'failed', error: { code: 'path_missing' } });
    expect(readdirSync(join(volume, '..')).toSorted()).toEqual(['uploads', 'uploads-2']);
    const scratch = await restore(backup.id, { target: 'scratch' });
    expect(scratch).toMatchObject({ status: 'completed', proof: { result: expect.stringContaining('3 files') } });
    const drill = (await post(`/api/backup-policies/${policyId}/drill`)).body.data;
    expect(await finished('/api/restores', drill.id)).toMatchObject({ kind: 'drill', status: 'completed', policyId });
    expect((await policy())['lastDrillAt']).toEqual(expect.any(String));
    await until('its files are removed', () => !existsSync(join(service.dataDir, 'tmp', 'backups', drill.id)));
  });

  it('find one changed byte when they are restored and by a drill, and change nothing', async () => {
    const backup = await run();
    const file = join(folder, backup.archives[0]!.key);
    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(file, bytes);
    writeFileSync(join(volume, 'a.txt'), 'second\n');
    const done = await restore(backup.id, { target: 'in-place', confirm: true });
    expect(done).toMatchObject({ status: 'failed', error: { code: 'archive_damaged' } });
    expect(readFileSync(join(volume, 'a.txt'), 'utf8')).toBe('second\n');
    const drill = await finished('/api/restores', (await post(`/api/backup-policies/${policyId}/drill`)).body.data.id);
    expect(drill).toMatchObject({ status: 'failed', error: { code: 'archive_damaged' } });
    expect((await policy())['lastDrillAt']).toBeNull();
  });

  it('keep what the retention says, the newest and the pinned one', async () => {
    const first = await run();
    await post(`/api/backups/${first.id}/pin`, {});
    const others = [await run(), await run(), await run()];
    await until('the oldest is removed', async () => (await get(`/api/backups/${others[0]!.id}`)).status === 404);
    const { data } = (await get(`/api/backups?policyId=${policyId}`)).body as unknown as { data: { id: string }[] };
    expect(data.map(({ id }) => id)).toEqual([others[2]!.id, others[1]!.id, first.id]);
    const stored = () =>
      readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('manifest.json'));
    expect(stored()).toHaveLength(3);
    expect((await call('DELETE', `/api/backups/${first.id}`)).status).toBe(200);
    expect(stored()).toHaveLength(2);
  });

  it('go to several destinations, and fail if one of them is away, with the others stored', async () => {
    const path = join(root, `two-${count}`);
    const second = (await post('/api/backup-destinations', { name: 'there', kind: 'local', endpoint: path })).body.data;
    const change = { destinationIds: [destinationId, second.id] };
    await call('PATCH', `/api/backup-policies/${policyId}`, change);
    const backup = await run();
    expect(backup.archives).toHaveLength(2);
    rmSync(path, { recursive: true });
    writeFileSync(path, 'not a folder');
    const failed = await run();
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'destination_failed' } });
    expect(failed.error!.message).toContain('there: ');
    expect(failed.archives).toHaveLength(1);
    expect(await policy()).toMatchObject({ health: 'failing', lastRun: { id: failed.id } });
    // The copy at the other destination is enough.
    expect(await restore(backup.id, { target: 'scratch' })).toMatchObject({ status: 'completed' });
    writeFileSync(join(volume, 'a.txt'), 'changed\n');
    const done = await restore(failed.id, { target: 'in-place', confirm: true });
    expect(done).toMatchObject({ status: 'completed', undoable: true });
    expect(readFileSync(join(volume, 'a.txt'), 'utf8')).toBe('first\n');
    const undo = (await post(`/api/restores/${done.id}/undo`)).body.data.id;
    expect(await finished('/api/restores', undo)).toMatchObject({ status: 'completed' });
    expect(readFileSync(join(volume, 'a.txt'), 'utf8')).toBe('changed\n');
  });

  it('stream their progress, and end', async () => {
    const { id } = (await post(`/api/backup-policies/${policyId}/run`)).body.data;
    await finished('/api/backups', id);
    const { text } = await call('GET', `/api/backups/${id}/stream`);
    const types = [...text.matchAll(/^event: (\w+)$/gm)].map(([, type]) => type);
    expect(new Set(types)).toEqual(new Set(['progress', 'status', 'log', 'end']));
    expect(types.at(-1)).toBe('end');
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq));
    expect(ids).toEqual(ids.map((_, i) => i + 1));
    expect((await call('GET', `/api/backups/${id}/stream?since=${ids.length}`)).status).toBe(204);
    const one = await restore(id, { target: 'scratch', path: 'a.txt' });
    expect((await get(`/api/restores/${one.id}/stream`)).text).toContain('1 file, 6 B');
  });

  it('give single files back, and are imported by an instance that never saw them', async () => {
    const backup = await run();
    const [{ id, key } = { id: '', key: '' }] = backup.archives;
    const path = `/api/backups/${backup.id}/archives/${id}`;
    expect((await get(`${path}/file?path=a.txt`)).text).toBe('first\n');
    expect((await get(`${path}/file?path=none.txt`)).status).toBe(404);
    const { text: identities } = await post('/api/backup-keys/export');

    const other = await startService({ env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root } });
    onTestFinished(() => other.stop().then(() => {}));
    const there = backupCalls(() => other);
    const app = await deployWithVolume(other);
    const { destinationId: to } = await there.newPolicy(app.project, join(root, `imported-${count}`));
    const send = async (archive: Buffer, encrypted = true) => {
      const query = new URLSearchParams({ projectId: app.project, destinationId: to, encrypted: String(encrypted) });
      const headers = { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/octet-stream' };
      const sent = await fetch(`${other.url}/api/backups/import?${String(query)}`, {
        method: 'POST',
        headers,
        body: archive,
      });
      return { status: sent.status, body: (await sent.json()) as { error: string; data: { id: string } } };
    };
    const archive = readFileSync(join(folder, key));
    expect(await send(archive)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('another backup key') },
    });
    const { data } = JSON.parse(identities) as { data: object };
    expect((await there.post('/api/backup-keys/import', data)).body).toMatchObject({ data: { imported: 1 } });
    const flipped = Buffer.from(archive);
    flipped[flipped.length - 20]! ^= 1;
    expect(await send(flipped)).toMatchObject({ status: 400 });
    for (const facts of ['{nonsense', '{"format":1}', '{"format":1,"name":"../x","source":{"type":"volume"}}']) {
      const file = join(newFolder('bad'), 'archive');
      await Packing.write(file, { recipients: null }, (packing) => packing.text('archive.json', facts));
      expect(await send(readFileSync(file), false)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('not a backup of Mooring') },
      });
    }
    const imported = await send(archive);
    expect(imported.status).toBe(201);
    expect(await there.restore(imported.body.data.id, { target: 'in-place', confirm: true })).toMatchObject({
      status: 'completed',
    });
    execFileSync('diff', ['-r', '--no-dereference', volume, app.volume]);
    const audit = await there.get('/api/audit');
    expect(audit.text).toContain('backup.imported');
    expect(audit.text).not.toContain('AGE-SECRET-KEY');
  });

  it('include the instance itself, for its owner', async () => {
    const body = {
      name: 'the instance',
      scope: 'instance',
      schedule: '0 2 * * *',
      destinationIds: [destinationId],
      retention: { last: 2 },
    };
    const both = await post('/api/backup-policies', { ...body, projectId: project });
    expect([both.status, both.body.details?.[0]?.field]).toEqual([400, 'projectId']);
    const made = (await post('/api/backup-policies', body)).body.data;
    expect(made).toMatchObject({ scope: 'instance', projectId: null });
    const backup = await calls.run(made.id);
    expect(backup).toMatchObject({
      status: 'completed',
      error: null,
      projectId: null,
      archives: [{ name: 'instance' }],
    });
    const to = newFolder('unpacked');
    execFileSync('tar', ['--zstd', '-xf', join(folder, backup.archives[0]!.key), '-C', to]);
    const [file = ''] = readdirSync(join(to, 'data'));
    const key = join(service.dataDir, 'backup.key');
    const tar = execFileSync('sh', ['-c', 'age -d -i "$1" "$2" | zstd -d | tar -t', 'sh', key, join(to, 'data', file)]);
    expect(String(tar)).toContain('data/secret.key');
    expect((await post(`/api/backups/${backup.id}/restore`, { target: 'scratch' })).status).toBe(409);
  });

  it('restore a path from the sources that have it, and nothing of the others', async () => {
    await deployWithVolume(service, 'cache');
    const backup = await run();
    expect(backup.archives.map(({ name }) => name).toSorted()).toEqual(['volume-cache', 'volume-uploads']);
    const names = { 'volume-uploads': 'uploads-4', 'volume-cache': 'cache-4' };
    const done = await restore(backup.id, { target: 'new-volume', names, path: 'a.txt' });
    expect(done).toMatchObject({ status: 'completed', results: [{ source: 'volume-uploads' }] });
    const missing = { target: 'new-volume', names: { ...names, 'volume-uploads': 'uploads-5' }, path: 'none' };
    expect(await restore(backup.id, missing)).toMatchObject({
      status: 'failed',
      error: { code: 'path_missing', message: 'the backup has no "none"' },
    });
    const volumes = readdirSync(join(volume, '..'));
    expect(volumes).toContain('uploads-4');
    for (const name of ['cache-4', 'uploads-5']) expect(volumes).not.toContain(name);
  });
});
