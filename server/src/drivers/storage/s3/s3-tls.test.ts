import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { selfSigned } from '../../../../test/rig/certificate.ts';
import { newFolder } from '../../../../test/rig/children.ts';
import { putInChild } from '../../../../test/rig/put-large.ts';
import { s3Key, startRigS3 } from '../../../../test/rig/s3.ts';
import { liveOptions } from '../contract.ts';
import { testStorageContext } from '../storage-rig.ts';
import { s3StorageKind } from './s3.ts';

/** S3 over TLS at 127.0.0.1, with a certificate that may be for another host or expired. */
async function startSecure(host = '127.0.0.1', days?: number) {
  const certificate = selfSigned(host, days);
  const s3 = await startRigS3(certificate);
  onTestFinished(() => s3.stop());
  const authority = join(newFolder('authority'), 'authority.pem');
  writeFileSync(authority, certificate.cert);
  return { s3, authority };
}
const valuesOf = (endpoint: string) => ({ ...s3Key, endpoint });

describe('S3 over TLS', () => {
  it('rejects an unknown authority and sends nothing', async () => {
    const { s3 } = await startSecure();
    const storage = await s3StorageKind.open(valuesOf(s3.endpoint), testStorageContext());
    onTestFinished(() => storage.close());
    await expect(storage.put('a', Readable.from(['x']), liveOptions)).rejects.toMatchObject({
      code: 'misconfigured',
      message: expect.stringMatching(/^the certificate of 127.* is not trusted; .*NODE_EXTRA_CA_CERTS/) as string,
    });
    await expect(storage.get('a', liveOptions)).rejects.toMatchObject({ code: 'misconfigured' });
    expect(s3.asked).toEqual([]);
  });

  it('accepts an authority from NODE_EXTRA_CA_CERTS', { timeout: 60_000 }, async () => {
    const { s3, authority } = await startSecure();
    const file = join(newFolder('source'), 'file');
    const content = randomBytes(20_000_000);
    writeFileSync(file, content);
    const task = {
      kind: 's3_compatible',
      values: valuesOf(s3.endpoint),
      source: { file },
      readTo: join(newFolder('read'), 'file'),
    };
    expect(await putInChild(task, undefined, { NODE_EXTRA_CA_CERTS: authority })).toMatchObject({ bytes: 20_000_000 });
    expect(s3.objects.get('large/object')!.content.equals(content)).toBe(true);
  });

  it.each([
    ['another name', 'elsewhere.example', undefined, /is for another host name/],
    ['a time that is over', '127.0.0.1', -1, /has expired/],
  ] as const)('rejects a certificate for %s, also of a known authority', async (_, host, days, message) => {
    const { s3, authority } = await startSecure(host, days);
    const task = { kind: 's3_compatible', values: valuesOf(s3.endpoint), source: { bytes: 1 } };
    const failing = putInChild(task, undefined, { NODE_EXTRA_CA_CERTS: authority });
    await expect(failing).rejects.toMatchObject({ message: expect.stringMatching(message) as string });
    expect(s3.asked).toEqual([]);
  });
});
