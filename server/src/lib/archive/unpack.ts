import { pipeline, Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { decryptAge } from './age.ts';
import type { AgeIdentity } from './age-keys.ts';
import { type ArchiveEntry, ArchiveError, readTar } from './reader.ts';

const pieceBytes = 1_048_576;

/** Yields the entries of an archive. Throws an ArchiveError for a wrong key or any damage. */
export async function* unpackEntries(
  source: Readable,
  identities: AgeIdentity[] | null,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const plain = identities ? Readable.from(decryptAge(source, identities), { objectMode: false }) : source;
  const chunks = pipeline(plain, createZstdDecompress({ chunkSize: pieceBytes }), () => {});
  try {
    yield* readTar(chunks);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (/^(Z_|ZSTD_|ERR_STREAM_PREMATURE_CLOSE)/.test(code)) throw new ArchiveError('the archive is damaged', error);
    throw error;
  } finally {
    source.destroy();
  }
}
