import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, writeSync } from 'node:fs';
import { StartError } from '../errors.ts';
import { type SealKey, sealKey } from './seal.ts';

/** The keys of this instance, the active one first. */
export interface KeyRing {
  keys(): SealKey[];
  /** Puts a new key in front. Undefined where the keys are given from outside and rotated there. */
  addNew?(): void;
  /** Forgets keys that nothing is sealed with any more. */
  keepOnly?(ids: Set<string>): void;
}

/** Keys given as text by the named variables, the active one first. */
export function givenKeys(texts: Record<string, string>): KeyRing {
  const keys = Object.entries(texts).map(([name, text]) => sealKey(parseKey(text, name)));
  return { keys: () => keys };
}

/** Keys in an owner-only file, one in a line, the active one first. It is read again when another process changed it. */
export function keyFile(path: string): KeyRing {
  let seen = '';
  let keys: SealKey[] = [];
  const write = (next: SealKey[]) =>
    replaceFile(path, next.map(({ bytes }) => `${bytes.toString('base64')}\n`).join(''));
  return {
    keys() {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (!stat) write([sealKey(randomBytes(32))]);
      else if (stat.mode & 0o077) chmodSync(path, 0o600);
      // Every write makes a new file, so its number tells what the clock may be too coarse for.
      const { ino, mtimeMs } = statSync(path);
      if (`${ino} ${mtimeMs}` !== seen) {
        keys = readFileSync(path, 'utf8')
          .trim()
          .split('\n')
          .map((line) => sealKey(parseKey(line, path)));
        seen = `${ino} ${mtimeMs}`;
      }
      return keys;
    },
    addNew() {
      write([sealKey(randomBytes(32)), ...this.keys()]);
    },
    keepOnly(ids) {
      write(this.keys().filter(({ id }) => ids.has(id)));
    },
  };
}

function parseKey(text: string, name: string): Buffer {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64');
  if (bytes.length !== 32 || !/^[0-9a-f]{64}$|^[A-Za-z0-9+/_-]{43}=?$/i.test(trimmed))
    throw new StartError(`${name}: must be 32 random bytes in base64 or hex`);
  // Text, repetition and counting all use few distinct bytes or a regular step: no generator makes them.
  const distinct = new Set(bytes).size;
  const steps = new Set(bytes.subarray(1).map((byte, i) => byte - bytes[i]!)).size;
  if (distinct < 16 || steps < 8)
    throw new StartError(`${name}: is not random; make one with: openssl rand -base64 32`);
  return bytes;
}

/** Whole or not at all, on disk before anything depends on it. */
function replaceFile(path: string, content: string): void {
  const draft = `${path}.new`;
  const file = openSync(draft, 'w', 0o600);
  writeSync(file, content);
  fsyncSync(file);
  closeSync(file);
  renameSync(draft, path);
}
