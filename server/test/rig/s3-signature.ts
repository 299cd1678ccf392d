import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const s3Key = {
  accessKeyId: 'AKRIG',
  secretAccessKey: 'rig/secret+key',
  region: 'eu-rig-1',
  bucket: 'rig-bucket',
};

export type Answer = { status: number; body?: string | Buffer; headers?: Record<string, string> };

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
export const sum = (name: string, content: string | Buffer) => createHash(name).update(content);
export const refusal = (status: number, code: string, more = ''): Answer => ({
  status,
  body: `<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>secret ${s3Key.accessKeyId}</Message>${more}</Error>`,
});

/** Recomputes the signature from the received request. */
export function signatureProblem({ method, headers }: IncomingMessage, url: URL): Answer | undefined {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/;
  const [, keyId, day, region, names, signature] = found.exec(headers.authorization ?? '') ?? [];
  if (keyId !== s3Key.accessKeyId) return refusal(403, keyId ? 'InvalidAccessKeyId' : 'AccessDenied');
  if (region !== s3Key.region) return refusal(400, 'AuthorizationHeaderMalformed', `<Region>${s3Key.region}</Region>`);
  const query = url.search.slice(1).split('&').filter(Boolean).sort().join('&');
  const lines = names!.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const payload = String(headers['x-amz-content-sha256']);
  const canonical = [method, url.pathname, query, lines.join(''), names, payload].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const time = String(headers['x-amz-date']);
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sum('sha256', canonical).digest('hex')}`;
  const key = [day!, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${s3Key.secretAccessKey}`));
  if (hmac(key, toSign).toString('hex') !== signature) return refusal(403, 'SignatureDoesNotMatch');
  const at = Date.parse(time.replace(/^(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
  if (!(Math.abs(at - Date.now()) < 900_000)) return refusal(403, 'RequestTimeTooSkewed');
  return url.pathname.split('/')[1] === s3Key.bucket ? undefined : refusal(404, 'NoSuchBucket');
}

export function sumProblem(headers: IncomingMessage['headers'], body: Buffer): Answer | undefined {
  if (headers['transfer-encoding']) return refusal(501, 'NotImplemented');
  if (headers['x-amz-content-sha256'] !== sum('sha256', body).digest('hex'))
    return refusal(400, 'XAmzContentSHA256Mismatch');
  const md5 = headers['content-md5'];
  return md5 && md5 !== sum('md5', body).digest('base64') ? refusal(400, 'BadDigest') : undefined;
}
