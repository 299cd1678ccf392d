import { expect, it } from 'vitest';
import { AppError } from '../../../errors.ts';
import { OwnershipClaims, NameHeldElsewhereError } from './ownership-claims.ts';
import { newDomain } from './rows.ts';

const heldBy = (organizationId: string, name = 'shop.example.com') =>
  newDomain({ id: 'prj_x', organizationId }, name, 'production', 'usr_x');
const valueIn = (error: AppError) => /with the value (\S+)/.exec(error.extra.message ?? '')?.[1];

it('binds the ownership record to the name, the organization and the instance', () => {
  const refusals = [
    ['ins_a', 'org_a', 'a.example.com'],
    ['ins_b', 'org_a', 'a.example.com'],
    ['ins_a', 'org_b', 'a.example.com'],
    ['ins_a', 'org_a', 'b.example.com'],
  ].map(([instanceId = '', claimant = '', name]) =>
    new OwnershipClaims({ instanceId, texts: async () => [] }).refusal(heldBy('org_x', name), claimant),
  );
  expect(new Set(refusals.map(valueIn)).size).toBe(4);
});

it('rate-limits DNS lookups per organization', async () => {
  let looks = 0;
  const claims = new OwnershipClaims({ instanceId: 'ins_a', texts: async () => (looks++, []) });
  const codes: string[] = [];
  for (let i = 0; i < 32; i++)
    await claims.require(heldBy('org_x'), 'org_a').catch((error: AppError) => codes.push(error.code));
  expect([looks, codes.slice(0, 30), codes.slice(30)]).toEqual([
    30,
    Array.from({ length: 30 }, () => 'conflict'),
    ['rate_limited', 'rate_limited'],
  ]);
  await expect(claims.require(heldBy('org_x'), 'org_b')).rejects.toBeInstanceOf(NameHeldElsewhereError);
});

it('does not look up a record whose name would be too long', async () => {
  const long = `${'a'.repeat(60)}.`.repeat(4) + 'example';
  const claims = new OwnershipClaims({ instanceId: 'ins_a', texts: () => Promise.reject(new Error('asked')) });
  await expect(claims.require(heldBy('org_x', long), 'org_a')).rejects.toMatchObject({
    extra: { message: 'a domain this long leaves no room for the TXT record that proves ownership' },
  });
});
