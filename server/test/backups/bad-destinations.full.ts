import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newSshKey } from '../rig/ssh-key.ts';
import { startBadLine } from '../rig/bad-line.ts';
import { backupCalls, deployWithVolume } from '../rig/backups.ts';
import { type RigS3, s3Key, startRigS3 } from '../rig/s3.ts';
import { type Service, startService } from '../rig/service.ts';
import { mountSmallDisk } from '../rig/small-disk.ts';
import { startSshd } from '../rig/sshd.ts';

const mostMs = 90_000;

describe('a backup is never completed', () => {
  let service: Service;
  let disk: ReturnType<typeof mountSmallDisk>;
  let s3: RigS3;
  let project: string;
  let count = 0;
  const { get, post, run } = backupCalls(() => service);

  beforeAll(async () => {
    disk = mountSmallDisk(4_000_000);
    s3 = await startRigS3();
    service = await startService({ env: { BACKUP_ALLOW_LOCAL_DESTINATION: 'true', BACKUP_LOCAL_ROOT: disk.folder } });
    const app = await deployWithVolume(service);
    project = app.project;
    writeFileSync(join(app.volume, 'large'), randomBytes(24_000_000));
  });
  afterAll(async () => {
    await service?.stop();
    await s3?.stop();
    disk?.unmount();
  });

  /** Backs up to the destination, which must fail in time and leave nothing that looks whole. */
  async function fails(destination: object): Promise<string> {
    const { data } = (await post('/api/backup-destinations', { name: `bad ${++count}`, ...destination })).body;
    const body = {
      name: `policy ${count}`,
      projectId: project,
      schedule: '30 3 * * *',
      destinationIds: [data.id],
      retention: { last: 2 },
    };
    const policyId = (await post('/api/backup-policies', body)).body.data.id;
    const began = Date.now();
    const backup = await run(policyId);
    expect(backup).toMatchObject({ status: 'failed', error: { code: 'destination_failed' }, archives: [] });
    expect(Date.now() - began).toBeLessThan(mostMs);
    const policy = (await get(`/api/backup-policies/${policyId}`)).body.data;
    expect(policy).toMatchObject({ health: 'failing', lastSuccessAt: null });
    return backup.error!.message;
  }

  const onS3 = () => ({
    kind: 's3_compatible',
    bucket: s3Key.bucket,
    region: s3Key.region,
    endpoint: s3.endpoint,
    accessKeyId: s3Key.accessKeyId,
    secretAccessKey: s3Key.secretAccessKey,
  });
  const isArchive = ({ url = '' }: IncomingMessage) => url.includes('.tar.zst.age');
  const manifests = () => [...s3.objects.keys()].filter((key) => key.endsWith('manifest.json'));
  const interfere = (how: (request: IncomingMessage, response: ServerResponse) => boolean) => {
    s3.interfere = how;
    onTestFinished(() => void (s3.interfere = () => false));
  };

  it('by an S3 that returns other bytes than it was sent', async () => {
    interfere((request) => {
      if (request.method === 'GET' && isArchive(request))
        for (const [key, { content }] of s3.objects) if (key.endsWith('.age')) content[content.length >> 1]! ^= 1;
      return false;
    });
    expect(await fails(onS3())).toContain('different bytes');
    expect(manifests()).toEqual([]);
  });

  it('by an S3 that loses objects', async () => {
    interfere((request) => {
      if (request.method !== 'PUT' && request.method !== 'POST')
        for (const key of s3.objects.keys()) if (key.includes('.tar.zst.age')) s3.objects.delete(key);
      return false;
    });
    expect(await fails(onS3())).toMatch(/not|missing|bytes/);
    expect(manifests()).toEqual([]);
  });

  it('with a credential that is revoked meanwhile', async () => {
    let bytes = 0;
    interfere((request, response) => {
      if (isArchive(request)) bytes += Number(request.headers['content-length'] ?? 0);
      if (bytes < 8_000_000) return false;
      request.resume();
      response.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>revoked</Message></Error>');
      return true;
    });
    expect(await fails(onS3())).toMatch(/may not write/);
    expect(bytes).toBeGreaterThan(8_000_000);
    expect(manifests()).toEqual([]);
  });

  it('by an S3 that is away', async () => {
    await fails({ ...onS3(), endpoint: 'http://127.0.0.1:1' });
  });

  it('on a disk that is full', async () => {
    expect(await fails({ kind: 'local', endpoint: join(disk.folder, 'backups') })).toMatch(/space|full/);
    expect(
      readdirSync(disk.folder, { recursive: true })
        .map(String)
        .filter((name) => name.includes('.age')),
    ).toEqual([]);
  });

  it('by an SFTP server that stalls', async () => {
    const sshd = await startSshd();
    const line = await startBadLine(sshd.port);
    onTestFinished(async () => {
      line.stop();
      await sshd.stop();
    });
    const { privateKey, publicKey } = newSshKey();
    sshd.allow(publicKey);
    line.freezeAfterBytes = 5_000_000;
    await fails({
      kind: 'sftp',
      sshHost: '127.0.0.1',
      sshPort: line.port,
      sshUser: sshd.user,
      sftpPrivateKey: privateKey,
    });
    expect(
      readdirSync(sshd.sftpFolder, { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.age')),
    ).toEqual([]);
  });
});
