import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Answer, ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { databaseKinds } from '../../../test/rig/databases.ts';
import { hearEvents } from '../../../test/rig/heard-events.ts';
import { foreignOrganization } from '../../../test/rig/people.ts';
import { owner, thingsOf } from '../../../test/rig/things.ts';
import { until } from '../../../test/rig/until.ts';
import { EventLog } from '../../events/event-log.ts';
import type { Log } from '../../lib/log.ts';
import { newFacts, packArchive } from './archives/format.ts';
import type { Storage } from '../../drivers/storage/storage.ts';
import type { BackupDeps } from './jobs/backup.ts';
import type { Job } from './jobs/job.ts';
import { undoRestore } from './jobs/restore.ts';
import { afterJob } from './jobs/run.ts';
import { type JobArchive, archivesOf, type JobRow, jobEvents, updateJob } from './jobs/store.ts';
import { JobWorker } from './jobs/worker.ts';

type Data = Record<string, unknown> & { id: string; status: string };
const dataOf = (answer: Answer) => (answer.body as unknown as { data: Data }).data;
const listOf = (answer: Answer) => (answer.body as unknown as { data: Data[] }).data;
const fieldOf = (answer: Answer) =>
  (answer.body as unknown as { details?: { field: string }[] }).details?.map(({ field }) => field);

describe.each(databaseKinds)('backup policies on %s', (kind) => {
  let app: TestApp;
  let root: string;
  let project: string;
  let destinationId: string;
  let policyId: string;
  const { post, get, newProject } = thingsOf(() => app);
  beforeEach(async () => {
    root = newFolder('backups');
    app = await startApp(kind, { env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: root } });
    project = await newProject();
    destinationId = dataOf(await post('/api/backup-destinations', { name: 'here', kind: 'local', endpoint: root })).id;
    policyId = dataOf(await post('/api/backup-policies', body())).id;
  });
  afterEach(() => app?.close());

  const body = (more: object = {}) => ({
    name: 'nightly',
    projectId: project,
    schedule: '30 3 * * *',
    destinationIds: [destinationId],
    retention: { last: 2 },
    ...more,
  });

  it('run once for the times that were missed, on one of several replicas', async () => {
    const other = await startApp(kind, { replica: { of: app, name: 'other' } });
    await app.database.db
      .updateTable('backup_policies')
      .set({ nextRunAt: Date.now() - 3 * 86_400_000 })
      .execute();
    app.backups.start();
    other.backups.start();
    await until('it has run', async () => listOf(await get('/api/backups')).some(({ status }) => status === 'failed'));
    await other.close();
    // Nothing is deployed.
    expect(listOf(await get('/api/backups'))).toMatchObject([
      { trigger: 'schedule', status: 'failed', error: { code: 'nothing_to_back_up' } },
    ]);
    const policy = dataOf(await get(`/api/backup-policies/${policyId}`));
    expect(policy).toMatchObject({ health: 'failing', lastSuccessAt: null });
    expect(Date.parse(policy['nextRunAt'] as string)).toBeGreaterThan(Date.now());
  });

  it('are late when a scheduled backup is missing, and not because of runs from before they were enabled', async () => {
    await app.database.db
      .updateTable('backup_policies')
      .set({ createdAt: Date.now() - 3 * 86_400_000, updatedAt: Date.now() - 3 * 86_400_000 })
      .execute();
    expect(dataOf(await get(`/api/backup-policies/${policyId}`))).toMatchObject({ health: 'late' });
    await app.call('PATCH', `/api/backup-policies/${policyId}`, { ...owner, body: { enabled: false } });
    expect(dataOf(await get(`/api/backup-policies/${policyId}`))).toMatchObject({ health: 'never', nextRunAt: null });
    await app.call('PATCH', `/api/backup-policies/${policyId}`, { ...owner, body: { enabled: true } });
    // No run was due while it was disabled.
    expect(dataOf(await get(`/api/backup-policies/${policyId}`))).toMatchObject({ health: 'never' });
  });

  it('report late, failing and ok backups as events, and notice it without a listener', async () => {
    const { db } = app.database;
    const health = async () =>
      (await db.selectFrom('backup_policies').select('reportedHealth').executeTakeFirstOrThrow()).reportedHealth;
    const url = await app.server.listen({ port: 0, host: '127.0.0.1' });
    await db
      .updateTable('backup_policies')
      .set({ createdAt: Date.now() - 3 * 86_400_000, updatedAt: Date.now() - 3 * 86_400_000 })
      .execute();
    app.backups.start();
    await until('the scheduler has noticed the delay', async () => (await health()) === 'late');
    const stopping = new AbortController();
    onTestFinished(() => stopping.abort());
    const heard = await hearEvents(url, ownerToken, stopping.signal);
    const said = () => heard.filter((each) => each.startsWith('backup_policy'));
    const event = (now: string) =>
      `backup_policy ${JSON.stringify({ id: policyId, name: 'nightly', environment: 'production', projectId: project, health: now })}`;
    // Nothing is deployed.
    await post(`/api/backup-policies/${policyId}/run`);
    await until('the failure is heard', () => said().length > 0);
    await db.updateTable('backup_policies').set({ lastRun: null, lastSuccessAt: Date.now() }).execute();
    const other = await startApp(kind, { replica: { of: app, name: 'other' } });
    other.backups.start();
    await until('another replica has noticed the success', () => said().length > 1);
    await other.close();
    expect(said()).toEqual([event('failing'), event('ok')]);
  });

  it('give links to archives that need no credentials, and expire', async () => {
    const { id } = dataOf(await post(`/api/backup-policies/${policyId}/run`));
    const archive = { id: 'bka_1', key: 'archive.tar.zst', destinationId, bytes: 5, encrypted: false };
    const change = { archives: JSON.stringify([archive]), status: 'completed' as const, finishedAt: 1 };
    await app.database.db.updateTable('backup_jobs').set(change).where('id', '=', id).execute();
    writeFileSync(join(root, archive.key), 'hello');
    const link = async () => dataOf(await post(`/api/backups/${id}/archives/bka_1/link`))['url'] as string;
    const url = await link();
    const found = await app.server.inject({ method: 'GET', url });
    expect([found.statusCode, found.body]).toEqual([200, 'hello']);
    expect(found.headers['content-disposition']).toBe('attachment; filename="archive.tar.zst"');
    const { token } = await foreignOrganization(app);
    expect((await app.call('POST', `/api/backups/${id}/archives/bka_1/link`, { token, body: {} })).status).toBe(404);
    expect((await post(`/api/backups/${id}/archives/bka_2/link`)).status).toBe(404);
    // Another sealed value is no ticket.
    const sealed = await app.database.db.selectFrom('backup_keys').selectAll().executeTakeFirstOrThrow();
    const others = Object.values(sealed).filter((value) => String(value).startsWith('s1.'));
    expect(others).toHaveLength(1);
    const wrong = [
      `${url.slice(0, -4)}AAAA`,
      '/api/backup-downloads?ticket=x',
      `/api/backup-downloads?ticket=${others[0]}`,
    ];
    for (const each of wrong) expect((await app.call('GET', each)).status, each).toBe(404);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect((await app.call('GET', url)).status).toBe(404);
    expect((await app.server.inject({ method: 'GET', url: await link() })).statusCode).toBe(200);
  });

  it('give back a file that is larger than any buffer', async () => {
    const { id } = dataOf(await post(`/api/backup-policies/${policyId}/run`));
    const [volume, content] = [newFolder('volume'), randomBytes(12_000_000)];
    writeFileSync(join(volume, 'large'), content);
    writeFileSync(join(volume, 'last'), content);
    const source = { type: 'volume' as const, volume: 'v' };
    const facts = newFacts({ mooring: '1', source, name: 'v', project: 'p', environment: 'production' });
    const key = 'archive.tar.zst';
    await packArchive(join(root, key), facts, { recipients: null }, async (to) => void (await to.folder(volume)));
    const archive = { id: 'bka_1', key, destinationId, bytes: 5, encrypted: false };
    const change = { archives: JSON.stringify([archive]), status: 'completed' as const, finishedAt: 1 };
    await app.database.db.updateTable('backup_jobs').set(change).where('id', '=', id).execute();
    const url = `/api/backups/${id}/archives/bka_1/file?path=large`;
    const found = await app.server.inject({ method: 'GET', url, headers: { authorization: `Bearer ${ownerToken}` } });
    expect(found.rawPayload.equals(content)).toBe(true);
  });

  /** A backup that is complete, with an archive at the destination. */
  async function completed(name: string, change: Partial<JobRow> = {}): Promise<JobRow> {
    const { id } = dataOf(await post(`/api/backup-policies/${policyId}/run`));
    const archive: JobArchive = {
      id: `bka_${name}`,
      name: 'volume-data',
      ref: { type: 'volume', volume: 'data' },
      key: `${name}/archive.tar.zst`,
      destinationId,
      bytes: 5,
      contentBytes: 5,
      sha256: '',
      encrypted: false,
      verifiedAt: 1,
    };
    mkdirSync(join(root, name));
    for (const file of ['archive.tar.zst', 'manifest.json']) writeFileSync(join(root, name, file), 'hello');
    const done = { status: 'completed' as const, archives: JSON.stringify([archive]), finishedAt: Date.now() };
    const query = app.database.db
      .updateTable('backup_jobs')
      .set({ ...done, ...change })
      .where('id', '=', id);
    return query.returningAll().executeTakeFirstOrThrow();
  }
  const afterRun = (row: JobRow) => {
    const { backups } = app.backups;
    const warn = (message: string) => expect.fail(message);
    return afterJob({ db: app.database.db, folder: newFolder('jobs'), backups, warn }, row, 'completed');
  };

  it('keep the backup that was just made, even if the clock was wrong before', async () => {
    for (const name of ['a', 'b']) await completed(name, { finishedAt: Date.now() + 1e9 });
    const now = await completed('c');
    await afterRun(now);
    expect(readdirSync(root).toSorted()).toEqual(['a', 'b', 'c']);
    expect((await get(`/api/backups/${now.id}`)).status).toBe(200);
  });

  it('keep a backup that is pinned or restored while others are removed', async () => {
    const { backups } = app.backups;
    const [pinned, restored, deleted] = [await completed('a'), await completed('b'), await completed('c')];
    await post(`/api/backups/${pinned.id}/pin`, {});
    const wanted = { target: 'scratch' };
    const restore = await post(`/api/backups/${restored.id}/restore`, wanted);
    expect(restore.status).toBe(202);
    // The rows were read before.
    for (const row of [pinned, restored]) expect(await backups.removeArchives(row)).toBe(false);
    expect(readdirSync(join(root, 'a'))).toHaveLength(2);
    expect(readdirSync(join(root, 'b'))).toHaveLength(2);

    // A deletion that fails in the middle is completed after the next run.
    rmSync(join(root, 'c', 'archive.tar.zst'));
    mkdirSync(join(root, 'c', 'archive.tar.zst'));
    await expect(backups.removeArchives(deleted)).rejects.toThrow();
    expect((await post(`/api/backups/${deleted.id}/restore`, wanted)).status).toBe(409);
    expect((await post(`/api/backups/${deleted.id}/pin`, {})).status).toBe(409);
    rmSync(join(root, 'c'), { recursive: true });
    await afterRun(await completed('d'));
    expect((await get(`/api/backups/${deleted.id}`)).status).toBe(404);
  });

  it('can be deleted after their destination', async () => {
    const [deleted, outdated] = [await completed('a'), await completed('b'), await completed('c')];
    const download = () => get(`/api/backups/${deleted.id}/archives/bka_a/download`);
    rmSync(join(root, 'a', 'archive.tar.zst'));
    expect((await download()).body).toMatchObject({
      code: 'unavailable',
      error: expect.stringContaining('does not exist'),
    });
    const remove = () => app.call('DELETE', `/api/backup-destinations/${destinationId}`, owner);
    expect((await remove()).status, 'while a policy uses it').toBe(409);
    const there = { name: 'there', kind: 'local', endpoint: join(root, 'there') };
    const destinationIds = [dataOf(await post('/api/backup-destinations', there)).id];
    await app.call('PATCH', `/api/backup-policies/${policyId}`, { ...owner, body: { destinationIds } });
    expect((await remove()).status).toBe(200);
    expect((await download()).body).toMatchObject({
      code: 'unavailable',
      error: expect.stringContaining('does not exist any more'),
    });
    expect((await app.call('DELETE', `/api/backups/${deleted.id}`, owner)).status).toBe(200);
    await afterRun(await completed('d'));
    expect((await get(`/api/backups/${outdated.id}`)).status).toBe(404);
  });

  it('are restored from another destination when a restore is undone', async () => {
    const { db } = app.database;
    const [file, volume] = [join(newFolder('archive'), 'archive'), newFolder('volume')];
    const ref = { type: 'volume' as const, volume: 'data' };
    const facts = newFacts({ mooring: '1', source: ref, name: 'volume-data', project: 'p', environment: 'production' });
    await packArchive(file, facts, { recipients: null }, async (to) => void (await to.folder(volume)));
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    const before = await completed('a');
    const [archive] = archivesOf(before) as [JobArchive];
    const archives = ['away', 'there', 'unused'].map((destination) => ({
      ...archive,
      sha256,
      destinationId: destination,
    }));
    await updateJob(db, before, { archives: JSON.stringify(archives) });
    const [used, restored, lines]: string[][] = [[], [], []];
    const storage = { get: async () => createReadStream(file) } as unknown as Storage;
    const deps = {
      db,
      folder: newFolder('jobs'),
      stores: {
        use: (_organization: string, destination: string, task: (storage: Storage) => Promise<unknown>) => {
          used!.push(destination);
          return destination === 'away' ? Promise.reject(new Error('it is away')) : task(storage);
        },
      },
      sources: {
        recover: async () => {},
        restore: async (_owner: object, { volume: name }: typeof ref) => void restored!.push(name),
      },
    } as unknown as BackupDeps;
    const request = { target: 'in-place', projectId: project, environment: 'production' };
    const job = {
      row: { ...before, id: 'rst_1', kind: 'restore', request: JSON.stringify(request) },
      state: { beforeId: before.id, begun: ['volume-data'] },
      signal: new AbortController().signal,
      say: (line: string) => lines!.push(line),
    } as unknown as Job;
    await undoRestore(deps, job);
    expect([used, restored]).toEqual([['away', 'there'], ['data']]);
    expect(lines!.at(-1)).toBe('volume-data is as it was before');
  });

  it('are not undone once they are completed, whatever fails later', async () => {
    const { id } = dataOf(await post(`/api/backup-policies/${policyId}/run`));
    const { db } = app.database;
    const undone: string[] = [];
    const errors: string[] = [];
    const worker = new JobWorker({
      db,
      kind,
      events: new EventLog(db, { tables: jobEvents }),
      log: { error: (_facts: object, line: string) => errors.push(line) } as unknown as Log,
      owner: 'worker',
      run: async () => {},
      undo: async ({ row }) => void undone.push(row.id),
      ended: () => Promise.reject(new Error('the disk is full')),
    });
    worker.start();
    await until('it has ended', () => errors.length > 0);
    await worker.stop();
    expect(undone).toEqual([]);
    expect(dataOf(await get(`/api/backups/${id}`)).status).toBe('completed');
  });

  it('queue one run at a time, which is cancelled while it waits', async () => {
    const [one, two] = await Promise.all([
      post(`/api/backup-policies/${policyId}/run`),
      post(`/api/backup-policies/${policyId}/run`),
    ]);
    expect([one.status, two.status]).toEqual([202, 202]);
    expect(dataOf(one).id).toBe(dataOf(two).id);
    expect(dataOf(await post(`/api/backups/${dataOf(one).id}/cancel`))).toMatchObject({ status: 'cancelled' });
    expect((await post(`/api/backups/${dataOf(one).id}/cancel`)).status).toBe(400);
  });

  it('keep a backup while a restore uses it', async () => {
    const { id } = dataOf(await post(`/api/backup-policies/${policyId}/run`));
    await app.database.db.updateTable('backup_jobs').set({ status: 'completed', finishedAt: 1 }).execute();
    const { id: restore } = dataOf(await post(`/api/backups/${id}/restore`, { target: 'scratch' }));
    const remove = () => app.call('DELETE', `/api/backups/${id}`, owner);
    expect((await remove()).text).toContain('A restore uses this backup');
    await post(`/api/restores/${restore}/cancel`);
    expect((await remove()).status).toBeLessThan(300);
  });

  it('refuse settings that cannot work, naming the field', async () => {
    const refused = async (more: object) => {
      const answer = await post('/api/backup-policies', body({ name: 'other', ...more }));
      return [answer.status, ...(fieldOf(answer) ?? [])];
    };
    expect(await refused({ schedule: '0 0 30 2 *' })).toEqual([400, 'schedule']);
    expect(await refused({ timezone: 'Mars/Base' })).toEqual([400, 'timezone']);
    expect(await refused({ destinationIds: [] })).toEqual([400, 'destinationIds']);
    expect(await refused({ destinationIds: ['bkd_nothing'] })).toEqual([400, 'destinationIds']);
    expect(await refused({ retention: {} })).toEqual([400, 'retention']);
    expect(await refused({ drill: { schedule: 'never' } })).toEqual([400, 'drill.schedule']);
    expect(await refused({ encryption: { enabled: true, recipients: ['age1x'] } })).toEqual([
      400,
      'encryption.recipients.0',
    ]);
    expect(await refused({ name: 'nightly' })).toEqual([400, 'name']);
  });

  it('belong to their organization', async () => {
    const backup = dataOf(await post(`/api/backup-policies/${policyId}/run`));
    const stranger = await foreignOrganization(app);
    const as = (method: string, path: string, given?: object) =>
      app.call(method, path, { token: stranger.token, ...(given && { body: given }) });
    const statuses = await Promise.all([
      as('GET', `/api/backup-policies/${policyId}`),
      as('PATCH', `/api/backup-policies/${policyId}`, { enabled: false }),
      as('POST', `/api/backup-policies/${policyId}/run`, {}),
      as('GET', `/api/backups/${backup.id}`),
      as('GET', `/api/backups/${backup.id}/stream`),
      as('POST', `/api/backups/${backup.id}/restore`, { target: 'scratch' }),
      as('GET', `/api/backups/${backup.id}/archives/bka_1/download`),
      as('DELETE', `/api/backups/${backup.id}`),
      as('POST', '/api/backup-policies', body({ name: 'theirs' })),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404, 404, 404, 404]);
    const own = dataOf(await as('POST', '/api/backup-keys/export'))['identities'];
    const ours = dataOf(await app.call('POST', '/api/backup-keys/export', { token: ownerToken }))['identities'];
    expect(own).not.toBe(ours);
  });
});
