import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { EdgeCertificate } from '../../edge.ts';
import { InvalidProjectError } from '../check-project.ts';
import { readHost } from '../request-target.ts';

/** Part of a certificate that the edge keeps in memory. */
export interface KnownCertificate {
  host: string;
  fingerprint: string;
}

const longestName = 253;
const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Validates a certificate before the edge stores and presents it. */
export function checkCertificate({ host, chain, key }: Partial<EdgeCertificate>): KnownCertificate {
  need(typeof host === 'string' && isCertificateName(host), `${String(host)} is not a name in lower case`);
  need(typeof chain === 'string' && typeof key === 'string', 'a chain and a key are needed');
  const [leaf] = (chain!.match(certificates) ?? []).map(readCertificate);
  need(leaf !== undefined, 'the chain contains no certificate');
  need(leaf!.checkPrivateKey(readKey(key!)), 'the key does not belong to the certificate');
  need(covers(leaf!, host!), `the certificate is not for ${host}`);
  return describe(host!, chain!);
}

/** Describes the first certificate. Does not parse it, because there may be a thousand of them. */
export function describe(host: string, pem: string): KnownCertificate {
  const [first] = pem.match(certificates) ?? [];
  if (first === undefined) throw new Error('it contains no certificate');
  const bytes = Buffer.from(first.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64');
  return { host, fingerprint: createHash('sha256').update(bytes).digest('hex') };
}

/** Returns when the certificate expires. */
export const expiryOf = (pem: string): number => new X509Certificate(pem).validToDate.getTime();

/** Accepts a host name or a wildcard for one level. */
export function isCertificateName(host: string): boolean {
  const name = host.startsWith('*.') ? host.slice(2) : host;
  return host.length <= longestName && readHost(name) === name && !name.startsWith('[');
}

/** A wildcard must be listed in the certificate itself. */
function covers(leaf: X509Certificate, host: string): boolean {
  if (!host.startsWith('*.')) return leaf.checkHost(host, { subject: 'never' }) !== undefined;
  return (leaf.subjectAltName ?? '').toLowerCase().split(', ').includes(`dns:${host}`);
}

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new InvalidProjectError('the chain contains something that is not a certificate');
  }
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // Without the cause: it may quote the key.
    throw new InvalidProjectError('the key cannot be read');
  }
}

function need(condition: boolean, otherwise: string): void {
  if (!condition) throw new InvalidProjectError(otherwise);
}
