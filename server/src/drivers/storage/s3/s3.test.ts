import { afterAll } from 'vitest';
import { type RigS3, s3Key, startRigS3 } from '../../../../test/rig/s3.ts';
import { storageContract } from '../contract.ts';
import { isTemporary, keyName } from '../keys.ts';
import { testStorageContext } from '../storage-rig.ts';
import { s3StorageKind } from './s3.ts';

let s3: RigS3;
afterAll(() => s3?.stop());

storageContract(
  's3_compatible on a small S3',
  async () => {
    s3 = await startRigS3();
    return {
      storage: await s3StorageKind.open({ ...s3Key, endpoint: s3.endpoint }, testStorageContext()),
      leftovers: async () => [
        ...s3.uploads.keys(),
        ...[...s3.objects.keys()].filter((key) => isTemporary(keyName(key))),
      ],
      elsewhere: { kind: 's3_compatible', values: { ...s3Key, endpoint: s3.endpoint } },
      close: async () => {},
    };
  },
  { bigBytes: 20_000_000, many: 25 },
);
