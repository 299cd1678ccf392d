import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../test/rig/children.ts';
import { environmentKeyRing, fileKeyRing } from './key-ring.ts';

describe('key file', () => {
  const newFile = () => {
    const path = join(newFolder('key'), 'secret.key');
    const ring = fileKeyRing(path);
    ring.file!.create();
    return { path, ring };
  };

  it('is created once, for the owner only', () => {
    const { path, ring } = newFile();
    const first = ring.keys();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    fileKeyRing(path).file!.create();
    expect(fileKeyRing(path).keys()).toEqual(first);
  });

  it('is not recreated when it is missing, and keeps a running service going', () => {
    const { path, ring } = newFile();
    const known = ring.keys();
    rmSync(path);
    expect(() => fileKeyRing(path).keys()).toThrow(/is missing; restore/);
    expect(ring.keys()).toEqual(known);
  });

  it('loses permissions that were added', () => {
    const { path } = newFile();
    chmodSync(path, 0o644);
    fileKeyRing(path).keys();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it.each(['', 'garbage', `${'A'.repeat(43)}=`])('is rejected when it contains %j', (content) => {
    const { path } = newFile();
    writeFileSync(path, content);
    expect(() => fileKeyRing(path).keys()).toThrow(path);
  });

  it('is rotated under a running service, which rereads it and keeps the previous key', async () => {
    const { path, ring: service } = newFile();
    const [before] = service.keys();
    const command = fileKeyRing(path);
    await command.file!.rotate(async () => expect(service.keys().map(({ id }) => id)).toContain(before!.id));
    expect(service.keys()).toEqual(command.keys());
    expect(service.keys()[1]).toEqual(before);
    await command.file!.rotate(async () => {});
    expect(readFileSync(path, 'utf8').trim().split('\n'), 'two keys at most').toHaveLength(2);
    expect(service.keys()).not.toContainEqual(before);
  });

  it('is rotated by one process at a time', async () => {
    const { path, ring } = newFile();
    const slow = ring.file!.rotate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    await expect(fileKeyRing(path).file!.rotate(async () => {})).rejects.toThrow(/another rotation/);
    await slow;
    await fileKeyRing(path).file!.rotate(async () => {});
  });

  it('keeps its owner when root rotates it', async () => {
    if (process.getuid?.() !== 0) return;
    const { path } = newFile();
    chownSync(path, 65_534, 65_534);
    await fileKeyRing(path).file!.rotate(async () => {});
    expect(statSync(path).uid).toBe(65_534);
  });
});

describe('given key', () => {
  it.each(['base64', 'hex', 'base64url'] as const)('may be in %s', (encoding) => {
    const bytes = randomBytes(32);
    expect(environmentKeyRing({ KEY: bytes.toString(encoding) }).keys()[0]!.bytes).toEqual(bytes);
  });

  it.each([
    ['short', 'abc'],
    ['empty', ' '],
    ['zeros', Buffer.alloc(32).toString('base64')],
    ['repeated', Buffer.from('ab'.repeat(16)).toString('base64')],
    ['counting', Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex')],
    ['a phrase', 'change-me-change-me-change-me-change-me-me!'],
    ['too long', randomBytes(33).toString('base64')],
  ])('is rejected when it is %s', (_, text) => {
    expect(() => environmentKeyRing({ KEY: text })).toThrow(/^KEY: /);
  });
});
