import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../../test/rig/children.ts';
import { has } from '../../../test/rig/parts.ts';
import { AgeWriter, decryptAge } from './age.ts';
import { type AgeIdentity, newIdentityFile, parseIdentity, recipientText } from './age-keys.ts';

const file = newIdentityFile();
const identity = parseIdentity(file, 'key');
const streamOf = async function* (bytes: Buffer, size = 10_000) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
function encrypted(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  const age = new AgeWriter([identity.recipient], (part) => parts.push(Buffer.from(part)));
  for (let at = 0; at < bytes.length; at += 10_000) age.add(bytes.subarray(at, at + 10_000));
  age.end();
  return Buffer.concat(parts);
}
const decrypted = (bytes: Buffer, by: AgeIdentity = identity, size?: number) =>
  buffer(decryptAge(streamOf(bytes, size), [by]));

const chunk = 65_536;

describe('age', () => {
  it.each([0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 200_001])('encrypts and decrypts %i bytes', async (size) => {
    const plain = randomBytes(size);
    const sealed = encrypted(plain);
    expect((await decrypted(sealed)).equals(plain)).toBe(true);
    expect((await decrypted(sealed, identity, 7)).equals(plain)).toBe(true);
  });

  it('refuses another key', async () => {
    const other = parseIdentity(newIdentityFile(), 'other');
    await expect(decrypted(encrypted(Buffer.from('x')), other)).rejects.toThrow('another backup key');
  });

  it('notices every flipped byte and every cut', async () => {
    const sealed = encrypted(randomBytes(2 * chunk));
    const places = [0, 30, 80, 130, 160, 200, 230, 1000, chunk + 300, sealed.length - 1];
    for (const at of places) {
      const damaged = Buffer.from(sealed);
      damaged[at]! ^= 1;
      await expect(decrypted(damaged), `byte ${at}`).rejects.toThrow(/archive/);
    }
    // A cut between two chunks leaves only whole ones.
    const header = sealed.length - 2 * (chunk + 16);
    for (const at of [10, 100, header, header + chunk + 16, sealed.length - chunk, sealed.length - 1])
      await expect(decrypted(sealed.subarray(0, at)), `cut at ${at}`).rejects.toThrow(/archive/);
    await expect(decrypted(Buffer.concat([sealed, Buffer.from('x')]))).rejects.toThrow(/archive/);
    await expect(decrypted(Buffer.from('something else entirely'))).rejects.toThrow('not an encrypted archive');
  });

  it('refuses a mistyped key', () => {
    const line = file.trim().split('\n').at(-1)!;
    const typo = line.slice(0, -3) + (line.at(-3) === 'Q' ? 'P' : 'Q') + line.slice(-2);
    expect(() => parseIdentity(typo, 'k')).toThrow('k is not a backup key');
    expect(() => parseIdentity('# only a comment\n', 'k')).toThrow('k is not a backup key');
    expect(parseIdentity(line.toLowerCase(), 'k').recipient).toEqual(identity.recipient);
  });
});

describe.runIf(has('age'))("Debian's age", () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  beforeAll(() => {
    folder = newFolder('age');
    writeFileSync(at('key'), file);
  });

  it('knows our keys, and we know its keys', () => {
    expect(execFileSync('age-keygen', ['-y', at('key')], { encoding: 'utf8' }).trim()).toBe(
      recipientText(identity.recipient),
    );
    execFileSync('age-keygen', ['-o', at('theirs')], { stdio: 'ignore' });
    const theirs = parseIdentity(readFileSync(at('theirs'), 'utf8'), 'theirs');
    const shown = execFileSync('age-keygen', ['-y', at('theirs')], { encoding: 'utf8' }).trim();
    expect(recipientText(theirs.recipient)).toBe(shown);
  });

  it.each([0, 1, chunk, 3 * chunk + 5])('decrypts %i bytes of ours, and we decrypt its own', async (size) => {
    const plain = randomBytes(size);
    const options = { maxBuffer: 2 ** 24 };
    writeFileSync(at('ours.age'), encrypted(plain));
    expect(execFileSync('age', ['-d', '-i', at('key'), at('ours.age')], options).equals(plain)).toBe(true);
    const args = ['-r', recipientText(identity.recipient)];
    const theirs = execFileSync('age', args, { ...options, input: plain });
    expect((await decrypted(theirs)).equals(plain)).toBe(true);
  });
});
