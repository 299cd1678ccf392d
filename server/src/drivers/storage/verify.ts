import { createHash } from 'node:crypto';
import { StorageError } from './storage.ts';

/** Size and hash of an object. */
export interface ObjectDigest {
  bytes: number;
  sha256: string;
}

/** Counts and hashes chunks. */
export class Digester {
  readonly #hash = createHash('sha256');
  bytes = 0;

  update(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
  }

  digest(): ObjectDigest {
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}

/** Reads all chunks and returns their digest. */
export async function digestOf(chunks: AsyncIterable<Buffer>): Promise<ObjectDigest> {
  const digester = new Digester();
  for await (const chunk of chunks) digester.update(chunk);
  return digester.digest();
}

/** Throws if the data did not come back as sent. */
export function requireSameDigest(sent: ObjectDigest, found: ObjectDigest, key: string): void {
  if (sent.bytes !== found.bytes)
    throw new StorageError(
      'corrupted',
      `${key} was sent with ${sent.bytes} bytes and came back with ${found.bytes}: the destination does not store data correctly`,
    );
  if (sent.sha256 !== found.sha256)
    throw new StorageError(
      'corrupted',
      `${key} came back with different bytes: the destination does not store data correctly`,
    );
}
