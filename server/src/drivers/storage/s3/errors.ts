import { certificateTrouble, OutboundError } from '../../../lib/outbound.ts';
import { type StorageCode, StorageError } from '../storage.ts';
import type { S3Target } from './address.ts';
import { readXml, xmlChildText } from '../http/xml.ts';

/** The attempted operation, for error messages: `write to`. */
export type S3Operation = 'write to' | 'read objects of' | 'list' | 'delete objects of';

/** An error response. Only the code is used: the server's other text may repeat what we sent. */
export interface S3Refusal {
  status: number;
  code: string;
  /** Region of the bucket according to the server. */
  region: string | undefined;
}

export function s3Refusal(status: number, headers: Record<string, unknown>, body: string): S3Refusal {
  const root = readXml(body);
  const code = (root?.name === 'Error' && xmlChildText(root, 'Code')) || '';
  const region = headers['x-amz-bucket-region'] ?? (root && xmlChildText(root, 'Region'));
  return {
    status,
    code: /^[A-Za-z0-9.]{1,64}$/.test(code) ? code : '',
    region: typeof region === 'string' && region ? region : undefined,
  };
}

/** Carries the server's error for callers that handle it. */
export class RefusedError extends StorageError {
  readonly refusal: S3Refusal;

  constructor(code: StorageCode, message: string, refusal: S3Refusal) {
    super(code, message);
    this.refusal = refusal;
  }
}

/** Whether an error response has one of these codes or statuses. */
export const isS3Refusal = (error: unknown, ...reasons: (string | number)[]): boolean =>
  error instanceof RefusedError && (reasons.includes(error.refusal.code) || reasons.includes(error.refusal.status));

type Words = [StorageCode, (target: S3Target, doing: S3Operation, refusal: S3Refusal) => string];
const permissions: Record<S3Operation, string> = {
  'write to': 's3:PutObject',
  'read objects of': 's3:GetObject',
  list: 's3:ListBucket',
  'delete objects of': 's3:DeleteObject',
};
export const s3PlaceOf = ({ endpoint }: S3Target) => endpoint?.host ?? 'Amazon S3';
const noSuchKeyId: Words = ['auth_failed', (target) => `${s3PlaceOf(target)} rejects the access key ID`];
const wrongSecret: Words = ['auth_failed', () => 'the secret access key does not match the access key ID'];
const mayNot: Words = [
  'permission_denied',
  ({ bucket }, doing) => `the access key may not ${doing} the bucket ${bucket}; it needs ${permissions[doing]}`,
];
const noBucket: Words = ['not_found', (target) => `there is no bucket ${target.bucket} at ${s3PlaceOf(target)}`];
const noObject: Words = ['not_found', () => 'the object does not exist'];
const full: Words = ['no_space', (target) => `${s3PlaceOf(target)} has no space left for the bucket ${target.bucket}`];
const wrongRegion: Words = [
  'misconfigured',
  ({ bucket }, _, { region }) =>
    region
      ? `the bucket ${bucket} is in the region ${region}; set that one`
      : `the bucket ${bucket} is in another region; set the region of the bucket`,
];
const wrongClock: Words = [
  'misconfigured',
  (target) => `the clocks of this machine and of ${s3PlaceOf(target)} differ too much; correct them`,
];
const lostBytes: Words = ['corrupted', (target) => `the data was corrupted on the way to ${s3PlaceOf(target)}`];

const words: Record<string, Words> = {
  InvalidAccessKeyId: noSuchKeyId,
  InvalidClientTokenId: noSuchKeyId,
  SignatureDoesNotMatch: wrongSecret,
  AuthFailure: wrongSecret,
  AccessDenied: mayNot,
  AllAccessDisabled: mayNot,
  AccountProblem: mayNot,
  MethodNotAllowed: mayNot,
  NoSuchBucket: noBucket,
  InvalidBucketName: [
    'misconfigured',
    (target) => `${target.bucket} is not a valid bucket name for ${s3PlaceOf(target)}`,
  ],
  NoSuchKey: noObject,
  NoSuchUpload: noObject,
  QuotaExceeded: full,
  EntityTooLarge: full,
  InsufficientStorage: full,
  XMinioStorageFull: full,
  XMinioAdminBucketQuotaExceeded: full,
  PermanentRedirect: wrongRegion,
  AuthorizationHeaderMalformed: wrongRegion,
  IllegalLocationConstraintException: wrongRegion,
  RequestTimeTooSkewed: wrongClock,
  RequestExpired: wrongClock,
  BadDigest: lostBytes,
  XAmzContentSHA256Mismatch: lostBytes,
  InvalidDigest: lostBytes,
};
const byStatus: Record<number, Words> = { 401: wrongSecret, 403: mayNot, 405: mayNot, 413: full, 507: full };

/** Converts an error response to a StorageError. */
export function refusalError(refusal: S3Refusal, target: S3Target, doing: S3Operation): StorageError {
  const { status, code } = refusal;
  const found = words[code] ?? (code ? undefined : byStatus[status]);
  const place = s3PlaceOf(target);
  const said = code ? `${status} ${code}` : status;
  const because = (reason: StorageCode, message: string) => new RefusedError(reason, message, refusal);
  if (found) return because(found[0], found[1](target, doing, refusal));
  if (status >= 300 && status < 400)
    return because('misconfigured', `${place} redirects to another address, which Mooring does not follow`);
  if (status >= 500 || status === 429)
    return because('unreachable', `${place} has an internal error (${said}); try again later`);
  return code
    ? because('misconfigured', `${place} refuses to ${doing} the bucket ${target.bucket} (${said})`)
    : because('misconfigured', `${place} is not an S3 service (${said}); check the endpoint`);
}

const outboundCodes: Record<OutboundError['code'], StorageCode> = {
  refused: 'misconfigured',
  not_found: 'unreachable',
  unreachable: 'unreachable',
  timeout: 'timeout',
};

/** Converts a connection error to a StorageError. `place` names the server in messages. */
export function connectionError(error: unknown, place: string): unknown {
  if (error instanceof StorageError) return error;
  if (error instanceof OutboundError)
    return new StorageError(outboundCodes[error.code], error.message, { cause: error });
  const { code = '', name, message } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return new StorageError('timeout', `${place} did not respond in time`, { cause: error });
  const trouble = certificateTrouble(code);
  if (trouble) return new StorageError('misconfigured', `the certificate of ${place} ${trouble}`, { cause: error });
  if (/^(ERR_SSL|EPROTO)/.test(code))
    return new StorageError('misconfigured', `${place} does not support TLS; check the endpoint`, { cause: error });
  if (code.startsWith('HPE_'))
    return new StorageError('misconfigured', `${place} does not support HTTP; check the endpoint`, { cause: error });
  return new StorageError('unreachable', `the connection to ${place} was lost (${code || message})`, { cause: error });
}
