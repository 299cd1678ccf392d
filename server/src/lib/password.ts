import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { limitConcurrency } from './concurrency.ts';

const derive = promisify(argon2);
/** OWASP's first recommendation for argon2id. */
export const usualCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };
let cost = usualCost;
// Two at a time, so that a flood of sign-ins stays within 40 MB.
const oneOfTwo = limitConcurrency(2);

async function argon2id(password: string, nonce: Buffer, { memory, passes, parallelism, tagLength } = cost) {
  const message = Buffer.from(password.normalize('NFKC'));
  return oneOfTwo(() => derive('argon2id', { message, nonce, memory, passes, parallelism, tagLength }));
}

/** For tests, which sign in thousands of people. */
export function setPasswordCost(next: typeof usualCost): void {
  cost = next;
}

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await argon2id(password, nonce);
  const { memory, passes, parallelism } = cost;
  return `argon2id$${memory}$${passes}$${parallelism}$${nonce.toString('base64url')}$${tag.toString('base64url')}`;
}

/** Takes the same time without a stored hash, so that timing does not reveal who has an account. */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [kind, memory, passes, parallelism, nonce, tag] = (stored ?? '').split('$');
  if (kind !== 'argon2id' || !nonce || !tag) {
    await argon2id(password, Buffer.alloc(16));
    return false;
  }
  const expected = Buffer.from(tag, 'base64url');
  const parameters = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  };
  const actual = await argon2id(password, Buffer.from(nonce, 'base64url'), parameters);
  return timingSafeEqual(actual, expected);
}
