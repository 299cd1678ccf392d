import { beforeAll, describe, expect, it } from 'vitest';
import { limitConcurrency } from './concurrency.ts';
import { hashPassword, setPasswordCost, usualCost, verifyPassword } from './password.ts';

describe('passwords', () => {
  // Other tests of this process have set a lower one.
  beforeAll(() => setPasswordCost(usualCost));

  it('are verified against their hash only', async () => {
    const hash = await hashPassword('correct horse');
    expect(hash).toMatch(/^argon2id\$19456\$2\$1\$/);
    expect(await verifyPassword('correct horse', hash)).toBe(true);
    expect(await verifyPassword('Correct horse', hash)).toBe(false);
    expect(await hashPassword('correct horse')).not.toBe(hash);
  });

  it('match in any Unicode composition', async () => {
    expect(await verifyPassword('ü'.normalize('NFD'), await hashPassword('ü'.normalize('NFC')))).toBe(true);
  });

  it.each([null, '', 'garbage', 'argon2id$1$1'])('never match the stored value %j', async (stored) => {
    expect(await verifyPassword('anything', stored)).toBe(false);
  });
});

it('limits concurrency, and continues after a failure', async () => {
  const limited = limitConcurrency(2);
  let [running, most] = [0, 0];
  const tasks = Array.from({ length: 8 }, (_, i) =>
    limited(async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      if (i === 1) throw new Error('one fails');
      return i;
    }),
  );
  const results = await Promise.allSettled(tasks);
  expect(most).toBe(2);
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
});
