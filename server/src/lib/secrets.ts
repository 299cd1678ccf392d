import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits as 43 url-safe characters. */
export const randomSecret = (): string => randomBytes(32).toString('base64url');

/** Random secrets are stored as this. They have 256 bits, so a fast hash is enough. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

export function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(hashSecret(left)), Buffer.from(hashSecret(right))];
  return timingSafeEqual(a, b);
}
