import { isObject } from './shapes.ts';
import { type CertificateCode, CertificateError } from '../errors.ts';
import type { AcmeAnswer } from './exchange.ts';

/** Error of the authority (RFC 7807, RFC 8555 section 6.7). */
export interface AcmeProblem {
  /** `rateLimited`, without the URN prefix. */
  type: string;
  detail: string;
}

const prefix = 'urn:ietf:params:acme:error:';
const longestDetail = 400;
const usualWaitMs = 3_600_000;
const longestWaitMs = 7 * 86_400_000;

type Verdict = { code: CertificateCode; says: string; hint: string };

const accountHint =
  'Check MOORING_ACME_EMAIL and, if the authority requires external account binding, MOORING_ACME_EAB_KEY_ID and MOORING_ACME_EAB_KEY.';

const verdicts: Record<string, Verdict> = {
  rateLimited: {
    code: 'rate_limited',
    says: 'the rate limit of the certificate authority is reached',
    hint: 'Mooring retries automatically when the limit allows it.',
  },
  dns: {
    code: 'dns',
    says: 'the certificate authority found no DNS record for the domain',
    hint: 'Check the A and AAAA records of the domain at its DNS provider. New records take a few minutes to spread.',
  },
  connection: {
    code: 'connection',
    says: 'the certificate authority cannot reach this machine at the domain',
    hint: 'Port 80 of the address in the DNS records must be open to the internet and forwarded to the edge. Remove AAAA records that point elsewhere.',
  },
  unauthorized: {
    code: 'unauthorized',
    says: 'the certificate authority got a response from another server at the domain',
    hint: 'The domain points to another machine, or a proxy in front responds. Point all of its A and AAAA records here.',
  },
  caa: {
    code: 'caa',
    says: 'a CAA record of the domain forbids this certificate authority',
    hint: 'Add a CAA record for this authority, or remove the existing one.',
  },
  rejectedIdentifier: {
    code: 'rejected_identifier',
    says: 'the certificate authority does not issue certificates for this domain',
    hint: 'Use another domain, or upload a certificate.',
  },
  accountDoesNotExist: {
    code: 'account',
    says: 'the certificate authority rejects the account of this instance',
    hint: accountHint,
  },
  externalAccountRequired: {
    code: 'account',
    says: 'the certificate authority requires an account with external account binding',
    hint: accountHint,
  },
  userActionRequired: {
    code: 'account',
    says: 'the certificate authority has new terms of service',
    hint: accountHint,
  },
  invalidContact: {
    code: 'account',
    says: 'the certificate authority rejects the e-mail address of this instance',
    hint: accountHint,
  },
  unsupportedContact: {
    code: 'account',
    says: 'the certificate authority rejects the e-mail address of this instance',
    hint: accountHint,
  },
  serverInternal: {
    code: 'unreachable',
    says: 'the certificate authority had an internal error',
    hint: 'Mooring retries automatically.',
  },
};
verdicts['unsupportedIdentifier'] = verdicts['rejectedIdentifier']!;
verdicts['tls'] = verdicts['connection']!;
verdicts['incorrectResponse'] = verdicts['unauthorized']!;

export function problemOf(value: unknown): AcmeProblem {
  const { type, detail } = isObject(value) ? value : {};
  return {
    type: typeof type === 'string' && type.startsWith(prefix) ? type.slice(prefix.length) : '',
    detail: typeof detail === 'string' ? detail.replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ').slice(0, longestDetail) : '',
  };
}

/** Converts a problem to an error; `answer` is the response that it came with, if any. */
export function acmeErrorOf({ type, detail }: AcmeProblem, answer?: AcmeAnswer): CertificateError {
  // In a response to our own request, this type is about our account.
  const word = type === 'unauthorized' && answer ? 'accountDoesNotExist' : type;
  const known = verdicts[word] ?? byStatus(answer?.status ?? 0);
  const told = detail ? `${known.says}: ${detail}` : known.says;
  const retryAt = retryAtOf(answer, known.code === 'rate_limited' ? usualWaitMs : undefined);
  return new CertificateError(known.code, told, known.hint, { retryAt });
}

function byStatus(status: number): Verdict {
  if (status === 429) return verdicts['rateLimited']!;
  if (status >= 500) return verdicts['serverInternal']!;
  const hint = 'Check MOORING_ACME_DIRECTORY, or upload a certificate.';
  return { code: 'refused', says: 'the certificate authority rejected the order', hint };
}

/** When to retry: as the authority says, else `otherwiseMs` from now. */
function retryAtOf(answer: AcmeAnswer | undefined, otherwiseMs: number | undefined): number | undefined {
  const ms = (answer && retryAfterMs(answer)) ?? otherwiseMs;
  return ms === undefined ? undefined : Date.now() + Math.min(ms, longestWaitMs);
}

/** Seconds or a date. */
export function retryAfterMs({ headers }: AcmeAnswer): number | undefined {
  const value = headers['retry-after'];
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) && ms >= 0 ? ms : undefined;
}
