import type { OutboundReach } from '../../../lib/outbound.ts';
import type { S3Credentials } from './sigv4.ts';

/** A bucket and how to reach it. Without an endpoint it is Amazon's. */
export interface S3Target {
  endpoint: URL | undefined;
  bucket: string;
  region: string | undefined;
  credentials: S3Credentials;
  reach: OutboundReach;
}

/** Where requests of a bucket go: the address, the `host` header, and the path before the key. */
export interface S3Address {
  isSecure: boolean;
  host: string;
  port: number;
  hostHeader: string;
  base: string;
}

export const isRegion = (text: string): boolean => /^[a-z0-9-]{1,64}$/i.test(text);
/** Safe in a path; part of a host name at Amazon only if it is a DNS label. */
export const isBucket = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(text);
const isLabel = (text: string) => /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(text);
export const usualRegion = 'us-east-1';

/** Uses path-style addressing for an endpoint, and virtual-hosted style for Amazon where the bucket is a valid host
 * name. */
export function s3AddressOf({ endpoint, bucket }: S3Target, region: string): S3Address {
  if (!endpoint) {
    const host = `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
    const named = isLabel(bucket) ? { name: `${bucket}.${host}`, base: '' } : { name: host, base: `/${bucket}` };
    return { isSecure: true, host: named.name, port: 443, hostHeader: named.name, base: named.base };
  }
  const isSecure = endpoint.protocol === 'https:';
  return {
    isSecure,
    host: endpoint.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(endpoint.port || (isSecure ? 443 : 80)),
    hostHeader: endpoint.host,
    base: `${endpoint.pathname.replace(/\/+$/, '')}/${bucket}`,
  };
}
