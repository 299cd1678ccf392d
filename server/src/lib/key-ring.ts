import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs';
import { StartError } from '../errors.ts';
import { lockFile } from './lock-file.ts';
import { replaceFile } from './replace-file.ts';
import { type SealKey, sealKey } from './seal.ts';

/** Keys of this instance, the active one first. */
export interface KeyRing {
  keys(): SealKey[];
  /** Missing where the keys come from the environment and are managed there. */
  file?: KeyFile;
}

export interface KeyFile {
  /** Creates the first key on the first start. */
  create(): void;
  /** Runs `reseal` with a new active key, under a lock. The previous key stays until the next rotation: a running
   * service may be about to write values sealed with it. */
  rotate<T>(reseal: () => Promise<T>): Promise<T>;
}

/** Keys from environment variables, the active one first. */
export function environmentKeyRing(texts: Record<string, string>): KeyRing {
  const keys = Object.entries(texts).map(([name, text]) => sealKey(parseKey(text, name)));
  return { keys: () => keys };
}

/** Keys in an owner-only file, one per line, the active one first. Reread when another process changes it. */
export function fileKeyRing(path: string): KeyRing {
  let seen = '';
  let known: SealKey[] = [];
  const read = () => {
    const stat = statSync(path, { throwIfNoEntry: false });
    // Keys stay in memory: a file that disappears under a running service must neither stop it nor be recreated.
    if (!stat && known.length) return known;
    if (!stat)
      throw new StartError(`${path} is missing; restore the instance key from your backup, or set MOORING_SECRET_KEY`);
    if (stat.mode & 0o077) chmodSync(path, 0o600);
    // Every write creates a new inode, which detects changes that the mtime is too coarse for.
    if (`${stat.ino} ${stat.mtimeMs}` === seen) return known;
    const lines = readFileSync(path, 'utf8').trim().split('\n');
    [known, seen] = [lines.map((line) => sealKey(parseKey(line, path))), `${stat.ino} ${stat.mtimeMs}`];
    return known;
  };
  const write = (keys: SealKey[]) =>
    replaceFile(path, keys.map(({ bytes }) => `${bytes.toString('base64')}\n`).join(''));
  const newKey = () => sealKey(randomBytes(32));
  return {
    keys: read,
    file: {
      create: () => existsSync(path) || write([newKey()]),
      async rotate(reseal) {
        const lock = lockFile(`${path}.lock`, () => new StartError('another rotation of the key is running'));
        try {
          write([newKey(), ...read()]);
          const result = await reseal();
          write(read().slice(0, 2));
          return result;
        } finally {
          lock.release();
        }
      },
    },
  };
}

function parseKey(text: string, name: string): Buffer {
  const trimmed = text.trim();
  const bytes = Buffer.from(trimmed, /^[0-9a-f]{64}$/i.test(trimmed) ? 'hex' : 'base64');
  if (bytes.length !== 32 || !/^[0-9a-f]{64}$|^[A-Za-z0-9+/_-]{43}=?$/i.test(trimmed))
    throw new StartError(`${name}: must be 32 random bytes in base64 or hex`);
  // Text, repetition and sequences have few distinct bytes or steps; no random generator produces those.
  const distinct = new Set(bytes).size;
  const steps = new Set(bytes.subarray(1).map((byte, i) => byte - bytes[i]!)).size;
  if (distinct < 16 || steps < 8)
    throw new StartError(`${name}: is not random; create one with: openssl rand -base64 32`);
  return bytes;
}
