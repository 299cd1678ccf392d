import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Location of a sealed value. It is authenticated, so a value copied to another row or column does not open. */
export type SealLocation = { table: string; column: string; row: string };

export type SealKey = { id: string; bytes: Buffer };

export interface Sealer {
  /** Returns the id of the key that seals new values. */
  activeKeyId(): string;
  seal(plain: string, place: SealLocation): string;
  open(sealed: string, place: SealLocation): string;
}

/** AES-256-GCM with the first key; any of the keys opens. Format: `s1.<key id>.<nonce, tag, ciphertext>`. */
export function createSealer(ring: { keys(): SealKey[] }): Sealer {
  const active = () => ring.keys()[0]!;
  return {
    activeKeyId: () => active().id,
    seal(plain, place) {
      const { id, bytes } = active();
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(associated(place));
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return `s1.${id}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, place) {
      const [, , payload] = sealed.split('.');
      const id = sealedWith(sealed);
      const key = ring.keys().find((candidate) => candidate.id === id);
      if (!key || !payload)
        throw new Error(`${place.table}.${place.column}: sealed with key ${id ?? 'unknown'}, which is not available`);
      const bytes = Buffer.from(payload, 'base64url');
      const cipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, 12)).setAAD(associated(place));
      cipher.setAuthTag(bytes.subarray(12, 28));
      return cipher.update(bytes.subarray(28), undefined, 'utf8') + cipher.final('utf8');
    },
  };
}

/** Returns the id of the key that sealed a value. */
export function sealedWith(sealed: string): string | undefined {
  const [version, id] = sealed.split('.');
  return version === 's1' ? id : undefined;
}

/** Derives the id from the key itself, so that replicas agree on it. */
export function sealKey(bytes: Buffer): SealKey {
  return { id: createHash('sha256').update('mooring key id').update(bytes).digest('hex').slice(0, 8), bytes };
}

const associated = ({ table, column, row }: SealLocation) => Buffer.from(JSON.stringify([table, column, row]));
