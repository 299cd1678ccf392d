import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

// One call for 256 ids: requesting 16 bytes at a time costs more than everything else here.
const pool = Buffer.alloc(4096);
let used = pool.length;

function randomCharacters(count: number): string {
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  let text = '';
  for (const end = used + count; used < end; used++) text += alphabet[pool[used]! & 31];
  return text;
}

/** A prefix, 48 bits of time and 80 random bits: sorts by creation, cannot be guessed, never reused. */
export function newId(prefix: string, now: number = Date.now()): string {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = alphabet[rest % 32] + time;
  return `${prefix}_${time}${randomCharacters(16)}`;
}
