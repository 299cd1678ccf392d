import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** Facts of a certificate. */
export interface CertificateFacts {
  /** DNS names and addresses that it covers. */
  names: string[];
  /** Issuer, in a readable form. */
  issuer: string;
  /** Milliseconds since 1970. */
  notBefore: number;
  notAfter: number;
  /** SHA-256, lower-case hex. */
  fingerprint: string;
  serialNumber: string;
}

export type CertificateChain = [own: X509Certificate, ...others: X509Certificate[]];
type Read = { ok: true; certificates: CertificateChain } | { ok: false; problem: string };

const block = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;
const mostCertificates = 10;

/** Parses the certificates of a PEM text, in order. */
export function readCertificates(pem: string): Read {
  const blocks = pem.match(block) ?? [];
  if (!blocks.length) return { ok: false, problem: 'has no certificate in PEM form (-----BEGIN CERTIFICATE-----)' };
  if (blocks.length > mostCertificates) return { ok: false, problem: `has more than ${mostCertificates} certificates` };
  try {
    const [own, ...others] = blocks.map((each) => new X509Certificate(each));
    return { ok: true, certificates: [own!, ...others] };
  } catch {
    // OpenSSL's message does not help users.
    return { ok: false, problem: 'has a certificate that cannot be read' };
  }
}

/** Parses a private key; on failure returns the problem without quoting the text. */
export function readPrivateKey(pem: string): KeyObject | { problem: string } {
  if (/ENCRYPTED/.test(pem.slice(0, 400))) return { problem: 'has a passphrase; remove the passphrase first' };
  try {
    return createPrivateKey(pem);
  } catch {
    // Nothing of the input may be repeated.
    return { problem: 'is not a private key in PEM form (-----BEGIN PRIVATE KEY-----)' };
  }
}

/** Returns why a server cannot use a certificate with its key, such as a key that is too short; undefined when it
 * can. */
export function useProblem(chain: string, key: string): string | undefined {
  try {
    createSecureContext({ cert: chain, key });
    return undefined;
  } catch (error) {
    // OpenSSL's message, such as `error:0A00018F:SSL routines::ee key too small`; only the last part matters.
    return (error as Error).message.split(':').at(-1)!.trim();
  }
}

export function factsOf(certificate: X509Certificate): CertificateFacts {
  return {
    names: namesOf(certificate),
    issuer: personOf(certificate.issuer),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: certificate.validToDate.getTime(),
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    serialNumber: certificate.serialNumber.toLowerCase(),
  };
}

/** Whether the certificate is valid for the domain: only by its SAN names, where `*` is one label. */
export const certificateCovers = (certificate: X509Certificate, name: string): boolean =>
  certificate.checkHost(name, { subject: 'never', partialWildcards: false }) !== undefined;

export const isSelfSigned = (certificate: X509Certificate): boolean =>
  certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);

export const isIssuedBy = (certificate: X509Certificate, issuer: X509Certificate): boolean =>
  certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);

/** Returns problems that clients may have with a chain; empty when each certificate is issued by the next, and the
 * last by one of `roots`. */
export function chainProblems([own, ...others]: CertificateChain, roots: () => X509Certificate[]): string[] {
  if (isSelfSigned(own)) return ['the certificate is self-signed; browsers show a warning'];
  let last = own;
  for (const next of others) {
    if (!isIssuedBy(last, next))
      return [`the chain is not in order: ${personOf(last.subject)} is not issued by ${personOf(next.subject)}`];
    last = next;
  }
  if (isSelfSigned(last) || roots().some((root) => isIssuedBy(last, root))) return [];
  return [
    `the chain ends at one issued by ${personOf(last.issuer)}, which is not a known authority; add the intermediate certificates, or some clients show a warning`,
  ];
}

/** Formats a subject, which consists of `key=value` lines; the common name says most. */
export function personOf(subject: string | undefined): string {
  const parts = new Map((subject ?? '').split('\n').map((line) => line.split(/=(.*)/s, 2) as [string, string]));
  const [name, organization] = [parts.get('CN'), parts.get('O')];
  if (name && organization && !name.includes(organization)) return `${organization} ${name}`;
  return name ?? organization ?? 'nobody';
}

function namesOf({ subjectAltName = '' }: X509Certificate): string[] {
  const entries = subjectAltName.matchAll(/(?:^|, )(?:DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)/g);
  return [...entries].map(([, value = '']) => (value.startsWith('"') ? (JSON.parse(value) as string) : value));
}
