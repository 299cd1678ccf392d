import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=([0-9a-f]{64})$/;

/** What the host sends in `X-Hub-Signature-256` for these bytes. */
export const signatureOf = (body: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Whether it could be one. */
export const isSignature = (header: string | string[] | undefined): boolean =>
  typeof header === 'string' && form.test(header);

/** Whether somebody who knows one of the secrets has sent exactly these bytes. An empty secret is known to everybody, and
 * proves nothing. Every secret is tried, so that the time it takes tells nothing. */
export function isSigned(body: Buffer, header: string | string[] | undefined, secrets: readonly string[]): boolean {
  const [, hex] = (typeof header === 'string' && form.exec(header)) || [];
  if (!hex) return false;
  const given = Buffer.from(hex, 'hex');
  return secrets
    .filter((secret) => secret !== '')
    .map((secret) => timingSafeEqual(given, createHmac('sha256', secret).update(body).digest()))
    .includes(true);
}
