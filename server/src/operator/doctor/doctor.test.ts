import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migratedDatabase } from '../../../test/rig/databases.ts';
import { freePort } from '../../../test/rig/ports.ts';
import { recordInstanceBackup } from '../../areas/backups/instance/state.ts';
import { readConfig } from '../../config.ts';
import { openDatabase } from '../../db/database.ts';
import { doctor } from './doctor.ts';
import type { DoctorFinding } from './finding.ts';

let other: Server;
let base: Record<string, string>;
beforeAll(async () => {
  other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { dataDir } = await migratedDatabase('sqlite');
  chmodSync(join(dataDir, 'mooring.db'), 0o600);
  chmodSync(dataDir, 0o711);
  base = {
    MOORING_DATA_DIR: dataDir,
    MOORING_RUNTIME: 'process',
    PORT: String(await freePort()),
    MOORING_EDGE_PORT: String((other.address() as AddressInfo).port),
    MOORING_EDGE_TLS_PORT: '0',
    // Answers with the time of this machine.
    MOORING_ACME_DIRECTORY: `http://127.0.0.1:${(other.address() as AddressInfo).port}/`,
  };
});
afterAll(() => other.close());

const findings = async (more: Record<string, string> = {}): Promise<Map<string, DoctorFinding>> => {
  const found = await doctor(readConfig({ ...base, ...more }), more);
  expect(found.findings.filter(({ level, fix }) => level === 'problem' && !fix)).toEqual([]);
  return new Map(found.findings.map((each) => [each.check, each]));
};

it('names the program that has a port, and what does not run', async () => {
  const found = await findings();
  expect(found.get('service')).toMatchObject({ level: 'problem', fix: expect.stringContaining('systemctl start') });
  expect(found.get('dashboard port')).toMatchObject({ level: 'problem', message: expect.stringContaining('nothing') });
  expect(found.get('HTTP port')).toEqual({
    check: 'HTTP port',
    level: 'problem',
    message: expect.stringMatching(/^\S+ \(process \d+\) has port \d+$/) as string,
    fix: 'stop it, or set MOORING_EDGE_PORT to another port',
  });
  expect(found.has('HTTPS port')).toBe(false);
  expect(found.get('clock')).toMatchObject({ level: 'ok' });
  expect(found.get('container engine')).toMatchObject({ level: 'ok' });
  expect(found.get('database')).toMatchObject({ level: 'ok' });
});

it('expects HTTPS once there is a certificate', async () => {
  const MOORING_EDGE_TLS_PORT = String(await freePort());
  const port = async () => (await findings({ MOORING_EDGE_TLS_PORT })).get('HTTPS port');
  expect(await port()).toMatchObject({ level: 'ok', message: expect.stringContaining('first certificate') });
  const { db } = await openDatabase(readConfig(base));
  const dashboard = { organizationId: null, projectId: null, name: 'mooring.example', source: 'acme' as const };
  const secrets = { chain: 'x', privateKey: 'x', fingerprint: 'x' };
  const times = { notBefore: 0, notAfter: 1, createdAt: 0 };
  await db
    .insertInto('certificates')
    .values({ id: 'crt_1', ...dashboard, ...secrets, ...times, isCurrent: 1, isNext: 0 })
    .execute();
  expect(await port()).toMatchObject({ level: 'problem', message: expect.stringContaining('nothing listens') });
  await db.deleteFrom('certificates').execute();
  await db.destroy();
});

it('checks file rights', async () => {
  expect((await findings()).get('file rights')).toMatchObject({ level: 'ok' });
  const key = join(base['MOORING_DATA_DIR']!, 'secret.key');
  writeFileSync(key, 'x', { mode: 0o644 });
  chmodSync(key, 0o644);
  expect((await findings()).get('file rights')).toMatchObject({ level: 'problem', fix: `chmod 600 ${key}` });
  chmodSync(key, 0o600);
});

it('checks the last instance backup', async () => {
  const { db } = await openDatabase(readConfig(base));
  expect((await findings()).get('instance backup')).toMatchObject({ level: 'warning', message: 'there is none yet' });
  await recordInstanceBackup(db, { place: '/mnt/backup.age', bytes: 1, lacks: null });
  expect((await findings()).get('instance backup')).toMatchObject({ level: 'ok' });
  await recordInstanceBackup(db, { error: 'the disk is full' });
  expect((await findings()).get('instance backup')).toMatchObject({
    level: 'problem',
    message: 'the last one failed: the disk is full',
    fix: 'mooring backup instance',
  });
  await db.destroy();
});

it('checks the names that lead here', async () => {
  const found = await findings({ MOORING_PUBLIC_URL: 'https://mooring.invalid', MOORING_BASE_DOMAIN: 'apps.invalid' });
  expect(found.get('DNS of the dashboard')).toMatchObject({
    level: 'problem',
    message: 'mooring.invalid has no address',
  });
  expect(found.get('DNS of apps')?.fix).toContain('*.apps.invalid');
  expect(found.get('dashboard certificate')).toMatchObject({ level: 'problem' });
});

it('looks for a new version through the proxy', async () => {
  const url = { MOORING_UPDATE_URL: 'http://releases.test/mooring' };
  expect((await findings(url)).get('version')?.message).toContain('cannot reach releases.test');
  const port = base['MOORING_EDGE_PORT'];
  expect((await findings({ ...url, http_proxy: `http://127.0.0.1:${port}` })).get('version')).toMatchObject({
    level: 'warning',
    message: 'http://releases.test/mooring/latest.json names no version',
  });
});
