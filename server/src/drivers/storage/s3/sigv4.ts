import { createHash, createHmac } from 'node:crypto';

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** The path is already encoded, header names are in lower case. */
export interface Signable {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  payloadSha256: string;
}

const algorithm = 'AWS4-HMAC-SHA256';
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
export const sha256Hex = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');
export const emptySha256 = sha256Hex('');

/** Encodes a part of a path or query as the signature requires: everything but letters, digits and `-_.~`. */
export const encodedForSignature = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export const encodedPath = (path: string): string => path.split('/').map(encodedForSignature).join('/');

/** Encodes the query in canonical order. */
export const canonicalQuery = (query: Record<string, string>): string =>
  Object.entries(query)
    .map(([name, value]) => [encodedForSignature(name), encodedForSignature(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');

/** Returns the headers with a signature (AWS Signature Version 4). */
export function signedHeaders(
  { method, path, query, headers, payloadSha256 }: Signable,
  { accessKeyId, secretAccessKey }: S3Credentials,
  region: string,
  now = new Date(),
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const all: Record<string, string> = { ...headers, 'x-amz-content-sha256': payloadSha256, 'x-amz-date': time };
  const names = Object.keys(all).filter(
    (name) => name === 'host' || name === 'content-md5' || name.startsWith('x-amz-'),
  );
  names.sort();
  const list = names.join(';');
  const lines = names.map((name) => `${name}:${all[name]!.trim()}\n`).join('');
  const canonical = [method, path, canonicalQuery(query), lines, list, payloadSha256].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const toSign = [algorithm, time, scope, sha256Hex(canonical)].join('\n');
  const key = [region, 's3', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secretAccessKey}`, day));
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${list}, Signature=${signature}`;
  return { ...all, authorization };
}
