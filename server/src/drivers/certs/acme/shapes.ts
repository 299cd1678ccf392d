import { CertificateError } from '../errors.ts';

// Responses of the authority, validated as far as we need them.

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const badAnswer = (what: string): CertificateError =>
  new CertificateError(
    'bad_answer',
    `the certificate authority sent an invalid response (${what})`,
    'Check MOORING_ACME_DIRECTORY: it must be the URL of an ACME directory.',
  );

export function objectIn(body: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    if (isObject(value)) return value;
  } catch {
    // Reported below, without repeating the body.
  }
  throw badAnswer(`${what} is not a JSON object`);
}

export function requireText(from: Record<string, unknown>, field: string): string {
  const value = from[field];
  if (typeof value !== 'string') throw badAnswer(`${field} is missing`);
  return value;
}

/** Parses a URL from the authority: https, unless it is on this machine. */
export function acmeUrl(value: unknown, what: string): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url) throw badAnswer(`${what} is not an address`);
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)) throw badAnswer(`${what} is not https`);
  if (url.username || url.password) throw badAnswer(`${what} has a password in it`);
  return url;
}

export interface AcmeDirectory {
  newNonce: URL;
  newAccount: URL;
  newOrder: URL;
  needsBinding: boolean;
}

export function directoryIn(body: string): AcmeDirectory {
  const from = objectIn(body, 'the directory');
  const meta = isObject(from['meta']) ? from['meta'] : {};
  return {
    newNonce: acmeUrl(from['newNonce'], 'newNonce'),
    newAccount: acmeUrl(from['newAccount'], 'newAccount'),
    newOrder: acmeUrl(from['newOrder'], 'newOrder'),
    needsBinding: meta['externalAccountRequired'] === true,
  };
}

export interface AcmeOrder {
  status: string;
  authorizations: URL[];
  finalize: URL;
  certificate: URL | undefined;
  error: unknown;
}

export function orderIn(body: string): AcmeOrder {
  const from = objectIn(body, 'the order');
  const { authorizations, certificate, error } = from;
  if (!Array.isArray(authorizations) || authorizations.length > 10) throw badAnswer('authorizations is not a list');
  return {
    status: requireText(from, 'status'),
    authorizations: authorizations.map((each) => acmeUrl(each, 'an authorization')),
    finalize: acmeUrl(from['finalize'], 'finalize'),
    certificate: certificate === undefined ? undefined : acmeUrl(certificate, 'certificate'),
    error,
  };
}

export interface AcmeChallenge {
  url: URL;
  token: string;
  error: unknown;
}

export interface AcmeAuthorization {
  status: string;
  /** The HTTP-01 challenge. */
  http: AcmeChallenge | undefined;
}

export function authorizationIn(body: string): AcmeAuthorization {
  const from = objectIn(body, 'the authorization');
  const all: unknown[] = Array.isArray(from['challenges']) ? from['challenges'] : [];
  const found = all.filter(isObject).find(({ type }) => type === 'http-01');
  return { status: requireText(from, 'status'), http: found && challengeIn(found) };
}

function challengeIn(from: Record<string, unknown>): AcmeChallenge {
  const token = requireText(from, 'token');
  // It becomes part of a path.
  if (!/^[A-Za-z0-9_-]{1,200}$/.test(token)) throw badAnswer('the token is not base64url');
  return { url: acmeUrl(from['url'], 'the challenge'), token, error: from['error'] };
}
