import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerToken, startApp, type TestApp } from '../../../test/rig/app.ts';
import { newFolder } from '../../../test/rig/children.ts';
import { join as joinAs, newToken } from '../../../test/rig/people.ts';
import { until } from '../../../test/rig/until.ts';
import { version } from '../../version.ts';
import { readUpdateRequest, requestFile, statusFile, updateFolder, type UpdateStatus } from './update/files.ts';

type Overview = {
  data: { method: string; latestVersion: string | null; update: { state: string; to: string } | null };
};

describe('an update from the dashboard', () => {
  let app: TestApp;
  let dataDir: string;
  let latest = '{"version":"99.0.0","changelog":"CHANGELOG.md"}';
  const releases = createServer((_, response) => response.end(latest));
  const get = (token = ownerToken) => app.call('GET', '/api/instance/update', { token });
  const post = (to: string, token = ownerToken) =>
    app.call('POST', '/api/instance/update', { token, body: { version: to } });
  const overview = async () => ((await get()).body as unknown as Overview).data;

  beforeAll(async () => {
    await new Promise<void>((resolve) => releases.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(releases.address() as AddressInfo).port}/releases`;
    app = await startApp('sqlite', { env: { MOORING_UPDATE_URL: url } });
    dataDir = app.instance.folder;
    app.updates.start();
  });
  afterAll(async () => {
    await app.close();
    releases.close();
  });

  it('shows the latest version with its changelog', async () => {
    await until('the check is done', async () => (await overview()).latestVersion);
    const { port } = releases.address() as AddressInfo;
    expect(await overview()).toMatchObject({
      version,
      latestVersion: '99.0.0',
      isNewer: true,
      changelogUrl: `http://127.0.0.1:${port}/releases/CHANGELOG.md`,
      checkedAt: expect.any(String),
      checkError: null,
      update: null,
    });
  });

  it('is refused where no updater is installed', async () => {
    expect(await post('99.0.0')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(existsSync(requestFile(dataDir))).toBe(false);
  });

  it('is for the instance owner only', async () => {
    mkdirSync(updateFolder(dataDir));
    const { cookie } = await joinAs(app, 'admin@example.com', 'owner');
    const token = await newToken(app, cookie, '*');
    expect(await get(token)).toMatchObject({ status: 403 });
    expect(await post('99.0.0', token)).toMatchObject({ status: 403 });
  });

  it.each([
    [version, 'already installed'],
    ['0.0.1', 'older than the installed'],
    [`${version}-3f2a9c1d`, 'have no order, because one of them was built without a tag'],
    ['../../etc', 'must be a version'],
  ])('to %s is refused', async (to, why) => {
    const answer = await post(to);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(why)]);
    expect(existsSync(requestFile(dataDir))).toBe(false);
  });

  it('writes a request that contains only the version, once, and an audit entry', async () => {
    expect(await post('99.0.0')).toMatchObject({ status: 202, body: { data: { update: { state: 'requested' } } } });
    expect(readFileSync(requestFile(dataDir), 'utf8')).toBe('{"version":"99.0.0"}\n');
    expect(await post('99.0.1')).toMatchObject({ status: 409 });
    const entries = await app.database.db.selectFrom('audit_entries').select(['action', 'details']).execute();
    expect(entries).toContainEqual({
      action: 'instance.update_requested',
      details: JSON.stringify({ from: version, to: '99.0.0' }),
    });
  });

  it('reports an updater that does not start', async () => {
    const before = Date.now() / 1000 - 120;
    utimesSync(requestFile(dataDir), before, before);
    expect(await overview()).toMatchObject({ update: { state: 'failed', to: '99.0.0' } });
    expect(await post('99.0.0')).toMatchObject({ status: 202 });
  });

  it('shows the status of the updater', async () => {
    rmSync(requestFile(dataDir));
    const status: UpdateStatus = {
      state: 'went_back',
      from: version,
      to: '99.0.0',
      startedAt: 1,
      endedAt: 2,
      steps: [{ phase: 'fetch', message: 'Downloading 99.0.0', at: 1 }],
      reason: '99.0.0 crashed',
      lines: ['boom'],
      awayMs: 900,
    };
    writeFileSync(statusFile(dataDir), JSON.stringify({ ...status, addedLater: true }));
    expect(await overview()).toMatchObject({
      update: { ...status, startedAt: '1970-01-01T00:00:00.001Z', endedAt: expect.any(String), steps: [{}] },
    });
    writeFileSync(statusFile(dataDir), 'not json');
    expect(await overview()).toMatchObject({ update: null });
    rmSync(statusFile(dataDir));
  });

  it('shows why the check failed', async () => {
    latest = '{"version":"javascript:alert(1)"}';
    await app.updates.stop();
    app.updates.start();
    await until('the check failed', async () => /names no version/.test((await get()).text));
    expect((await overview()).latestVersion).toBe('99.0.0');
  });
});

describe('a request', () => {
  const dataDir = newFolder('data');
  const file = requestFile(dataDir);
  const replace = (make: () => void) => {
    rmSync(file, { force: true, recursive: true });
    make();
  };

  it('is read as root only if it is a plain small file with a version', () => {
    expect(readUpdateRequest(dataDir)).toBeUndefined();
    replace(() => writeFileSync(file, '{"version":"1.2.3"}'));
    expect(readUpdateRequest(dataDir)).toEqual({ version: '1.2.3' });
    const wrong: (() => void)[] = [
      () => symlinkSync('/etc/hostname', file),
      () => mkdirSync(file),
      () => execFileSync('mkfifo', [file]),
      () => writeFileSync(file, `{"version":"1.2.3"}${' '.repeat(2000)}`),
      () => writeFileSync(file, '{"version":"1.2.3/../../x"}'),
      () => writeFileSync(file, ''),
      () => symlinkSync(join(dataDir, 'missing'), file),
    ];
    for (const make of wrong) {
      replace(make);
      expect(() => readUpdateRequest(dataDir)).toThrow();
    }
  });
});
