import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=([0-9a-f]{64})$/;

/** Returns the `X-Hub-Signature-256` header for a body. */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Returns whether the header is a well-formed signature. */
export const isSignature = (header: string | string[] | undefined): boolean =>
  typeof header === 'string' && form.test(header);

/** Returns whether one of the secrets signed the body. Ignores empty secrets, and tries all so that timing reveals
 * nothing. */
export function isSigned(body: Buffer, header: string | string[] | undefined, secrets: readonly string[]): boolean {
  const [, hex] = (typeof header === 'string' && form.exec(header)) || [];
  if (!hex) return false;
  const given = Buffer.from(hex, 'hex');
  return secrets
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(given, createHmac('sha256', secret).update(body).digest()))
    .includes(true);
}
