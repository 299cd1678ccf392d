import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** A prefix, 48 bits of time and 80 random bits: sorts by creation, cannot be guessed, never reused. */
export function newId(prefix: string, now: number = Date.now()): string {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time;
  let random = '';
  for (const byte of randomBytes(16)) random += alphabet[byte & 31];
  return `${prefix}_${time}${random}`;
}
