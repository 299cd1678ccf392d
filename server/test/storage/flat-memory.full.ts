import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSftpMachine } from '../../src/drivers/storage/sftp/sftp-rig.ts';
import { newFolder } from '../rig/children.ts';
import { sayFigures } from '../rig/figures.ts';
import { has } from '../rig/parts.ts';
import { putInChild } from '../rig/put-large.ts';
import type { PutTask } from '../rig/put-program.ts';
import { startSwift } from '../rig/swift.ts';
import { makeBucket } from '../rig/swift-bucket.ts';

/** Compares a process that stores a large stream with one that stores a byte. */
async function expectFlat(name: string, task: Omit<PutTask, 'source'>): Promise<void> {
  const readTo = join(newFolder('back'), 'back');
  const small = await putInChild({ ...task, source: { bytes: 1 }, readTo });
  const large = await putInChild({ ...task, source: { bytes: 300_000_000 }, readTo });
  expect(large.bytes).toBe(300_000_000);
  const moreMegabytes = Math.round(large.peakMegabytes - small.peakMegabytes);
  sayFigures(`300 MB to ${name}`, { seconds: large.putMs / 1000, moreMegabytes });
  // Garbage collection is lazy; a buffered stream would use at least 300.
  expect(moreMegabytes).toBeLessThan(150);
}

describe('storing a stream of 300 MB uses constant memory', { timeout: 240_000 }, () => {
  it('to a local folder', async () => {
    const localRoot = newFolder('backups');
    await expectFlat('local', { kind: 'local', localRoot, values: { endpoint: join(localRoot, 'a') } });
  });

  it.runIf(has('sshd'))('over SFTP', async () => {
    const { sshd, values } = await startSftpMachine();
    onTestFinished(() => sshd.stop());
    await expectFlat('sftp', { kind: 'sftp', values });
  });

  it.runIf(has('swift'))('to S3', async () => {
    const swift = await startSwift();
    onTestFinished(() => swift.stop());
    const { values } = await makeBucket(swift, 'flat');
    await expectFlat('s3_compatible', { kind: 's3_compatible', values });
  });
});
