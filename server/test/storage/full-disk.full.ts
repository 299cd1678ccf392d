import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keysOf, liveOptions, chunkedStream } from '../../src/drivers/storage/contract.ts';
import { storageKind } from '../../src/drivers/storage/index.ts';
import { partsIn, startSftpMachine } from '../../src/drivers/storage/sftp/sftp-rig.ts';
import type { Storage } from '../../src/drivers/storage/storage.ts';
import { testStorageContext } from '../../src/drivers/storage/storage-rig.ts';
import { has } from '../rig/parts.ts';
import { startProftpd } from '../rig/proftpd.ts';
import { mountSmallDisk } from '../rig/small-disk.ts';

const full = { code: 'no_space', message: expect.stringMatching(/full/) as string };

function smallDisk(): string {
  const { folder, unmount } = mountSmallDisk(8_000_000);
  onTestFinished(unmount);
  return folder;
}

/** Objects that fit are stored, a failed one leaves nothing, and then there is space again. */
async function expectFull(storage: Storage, folder: string): Promise<void> {
  onTestFinished(() => storage.close());
  await storage.put('small', chunkedStream(Buffer.alloc(1_000_000, 1)), liveOptions);
  await expect(storage.put('large', chunkedStream(Buffer.alloc(20_000_000, 2)), liveOptions)).rejects.toMatchObject(
    full,
  );
  expect(partsIn(folder)).toEqual([]);
  await storage.put('small', chunkedStream(Buffer.alloc(2_000_000, 3)), liveOptions);
  expect(await keysOf(storage)).toEqual(['small']);
}

describe.runIf(has('docker'))('a full disk', () => {
  it('under a local folder', async () => {
    const folder = smallDisk();
    const values = { endpoint: join(folder, 'deep') };
    await expectFull(await storageKind('local')!.open(values, testStorageContext({ localRoot: folder })), folder);
  });

  it.runIf(has('sshd'))('under OpenSSH', async () => {
    const sftpFolder = smallDisk();
    const { sshd, values } = await startSftpMachine({ sftpFolder });
    onTestFinished(() => sshd.stop());
    await expectFull(await storageKind('sftp')!.open(values, testStorageContext()), sftpFolder);
  });

  it.runIf(has('proftpd'))('under ProFTPD', async () => {
    const folder = smallDisk();
    const proftpd = await startProftpd(folder);
    onTestFinished(() => proftpd.stop());
    const { port: sshPort, user: sshUser, password: sftpPassword } = proftpd;
    const values = { sshHost: '127.0.0.1', sshPort, sshUser, sftpPassword };
    await expectFull(await storageKind('sftp')!.open(values, testStorageContext()), folder);
  });
});
