import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { givenKeys, keyFile } from './key-ring.ts';

describe('a key file', () => {
  it('is made once, for the owner only', () => {
    const path = join(newFolder('key'), 'secret.key');
    const first = keyFile(path).keys();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(keyFile(path).keys()).toEqual(first);
  });

  it('takes rights away that somebody added', () => {
    const path = join(newFolder('key'), 'secret.key');
    keyFile(path).keys();
    chmodSync(path, 0o644);
    keyFile(path).keys();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is read again when another process rotated it', async () => {
    const path = join(newFolder('key'), 'secret.key');
    const [service, command] = [keyFile(path), keyFile(path)];
    const [before] = service.keys();
    await new Promise((resolve) => setTimeout(resolve, 20));
    command.addNew!();
    expect(service.keys().map(({ id }) => id)).toEqual(command.keys().map(({ id }) => id));
    expect(service.keys()[1]).toEqual(before);
    command.keepOnly!(new Set([command.keys()[0]!.id]));
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(1);
  });
});

describe('a given key', () => {
  it.each(['base64', 'hex', 'base64url'] as const)('may be in %s', (encoding) => {
    const bytes = randomBytes(32);
    expect(givenKeys({ KEY: bytes.toString(encoding) }).keys()[0]!.bytes).toEqual(bytes);
  });

  it.each([
    ['short', 'abc'],
    ['empty', ' '],
    ['zeros', Buffer.alloc(32).toString('base64')],
    ['repeated', Buffer.from('ab'.repeat(16)).toString('base64')],
    ['counting', Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex')],
    ['a phrase', 'change-me-change-me-change-me-change-me-me!'],
    ['too long', randomBytes(33).toString('base64')],
  ])('is refused when it is %s', (_, text) => {
    expect(() => givenKeys({ KEY: text })).toThrow(/^KEY: /);
  });
});
