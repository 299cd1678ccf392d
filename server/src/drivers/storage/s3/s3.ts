import { StorageError, type StorageKind, type StorageValues } from '../storage.ts';
import { storageField, requiredValue, textValue } from '../values.ts';
import { isBucket, isRegion } from './address.ts';
import { createS3Storage } from './storage.ts';

/** A bucket at Amazon S3 or any compatible server. */
export const s3StorageKind: StorageKind = {
  kind: 's3_compatible',
  label: 'S3-compatible bucket',
  help: 'A bucket at Amazon S3, Cloudflare R2, Backblaze B2, Wasabi, MinIO, Ceph, OpenStack Swift and others.',
  fields: [
    storageField('bucket', 'Bucket', 'The name of an existing bucket.', { isRequired: true }),
    storageField('region', 'Region', 'For example eu-central-1. Leave it empty to detect it.', { maxLength: 64 }),
    storageField('endpoint', 'Endpoint', 'For example https://s3.example.com. Leave it empty for Amazon S3.', {
      isAddress: true,
      maxLength: 1024,
    }),
    storageField(
      'accessKeyId',
      'Access key ID',
      'The key must be allowed to list, read, write and delete objects in the bucket.',
      {
        isRequired: true,
        isSecret: true,
      },
    ),
    storageField('secretAccessKey', 'Secret access key', 'The secret of that access key.', {
      isRequired: true,
      isSecret: true,
      type: 'password',
    }),
  ],
  async check(values) {
    const [bucket, region] = [textValue(values, 'bucket'), textValue(values, 'region')];
    const keyId = textValue(values, 'accessKeyId');
    if (bucket !== undefined && !isBucket(bucket))
      return { field: 'bucket', message: 'must be the name of a bucket: letters, digits, dots, hyphens, underscores' };
    if (region !== undefined && !isRegion(region))
      return { field: 'region', message: 'must be the name of a region: letters, digits and hyphens' };
    if (keyId !== undefined && !/^[\x21-\x7e]+$/.test(keyId))
      return { field: 'accessKeyId', message: 'contains a character that is not allowed' };
    const wrong = complaintOfEndpoint(values);
    return wrong === undefined ? undefined : { field: 'endpoint', message: wrong };
  },
  async open(values, context) {
    const complaint = await this.check(values, context);
    if (complaint) throw new StorageError('misconfigured', `${complaint.field} ${complaint.message}`);
    const endpoint = textValue(values, 'endpoint');
    return createS3Storage({
      endpoint: endpoint === undefined ? undefined : new URL(endpoint),
      bucket: requiredValue(values, 'bucket'),
      region: textValue(values, 'region'),
      credentials: {
        accessKeyId: requiredValue(values, 'accessKeyId'),
        secretAccessKey: requiredValue(values, 'secretAccessKey'),
      },
      reach: context.reach,
    });
  },
};

function complaintOfEndpoint(values: StorageValues): string | undefined {
  const text = textValue(values, 'endpoint');
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname)
    return 'must be an address that begins with https:// or http://';
  if (url.username || url.password) return 'must not contain credentials';
  return url.search || url.hash ? 'must end with the path' : undefined;
}
