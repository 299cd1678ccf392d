import { pipeline, Readable } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { decryptAge, encryptAge, piecesOf } from './age.ts';
import type { AgeIdentity } from './age-keys.ts';
import { type ArchiveEntry, ArchiveError, readTar } from './reader.ts';
import { writeTar, type WrittenEntry } from './writer.ts';

const pieceBytes = 1_048_576;

/** Returns `tar | zstd`, and with recipients `| age`, of the entries, in flat memory. */
export function packEntries(entries: AsyncIterable<WrittenEntry>, recipients: Buffer[] | null): Readable {
  const compress = createZstdCompress({
    // With the default of 16 KB, calls of the library take longer than its work.
    chunkSize: pieceBytes,
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  const tar = Readable.from(piecesOf(writeTar(entries), pieceBytes), { objectMode: false });
  // An error destroys the last stream with it, where the reader gets it.
  const compressed = pipeline(tar, compress, () => {});
  if (!recipients) return compressed;
  return Readable.from(encryptAge(compressed, recipients), { objectMode: false, highWaterMark: pieceBytes });
}

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
