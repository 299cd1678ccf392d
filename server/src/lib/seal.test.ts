import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSealer, sealedWith, sealKey } from './seal.ts';

const place = { table: 'servers', column: 'password', row: 'srv_1' };

describe('sealing', () => {
  const [old, current] = [sealKey(randomBytes(32)), sealKey(randomBytes(32))];
  const sealer = createSealer({ keys: () => [current, old] });

  it('opens what it sealed, and reveals nothing of it', () => {
    const sealed = sealer.seal('grüße, secret', place);
    expect(sealed).not.toContain('secret');
    expect(sealer.open(sealed, place)).toBe('grüße, secret');
    expect(sealer.seal('grüße, secret', place)).not.toBe(sealed);
  });

  it.each([{ row: 'srv_2' }, { column: 'private_key' }, { table: 'tokens' }])(
    'does not open in another place: %o',
    (change) => {
      const sealed = sealer.seal('secret', place);
      expect(() => sealer.open(sealed, { ...place, ...change })).toThrow();
    },
  );

  it('does not open when a bit was changed', () => {
    const sealed = sealer.seal('secret', place);
    const [head, id, payload] = sealed.split('.');
    const bytes = Buffer.from(payload!, 'base64url');
    bytes[bytes.length - 1]! ^= 1;
    expect(() => sealer.open(`${head}.${id}.${bytes.toString('base64url')}`, place)).toThrow();
  });

  it('opens values of an older key, and names the key of each', () => {
    const sealed = createSealer({ keys: () => [old] }).seal('secret', place);
    expect(sealedWith(sealed)).toBe(old.id);
    expect(sealer.open(sealed, place)).toBe('secret');
    expect(sealedWith(sealer.seal('secret', place))).toBe(current.id);
    expect(() => createSealer({ keys: () => [current] }).open(sealed, place)).toThrow(/not available/);
  });
});
