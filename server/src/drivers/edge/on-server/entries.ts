import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { writeTar, type WrittenEntry } from '../../../lib/archive/writer.ts';

const plain = { modifiedMs: 0, target: '', size: 0, async *content() {} } satisfies Partial<WrittenEntry>;

/** A local file under another name. */
export const copiedFileEntry = (file: string, path: string, mode = 0o644): WrittenEntry => ({
  ...plain,
  path,
  type: 'file',
  mode,
  size: statSync(file).size,
  content: () => createReadStream(file),
});

export function textEntry(path: string, text: string): WrittenEntry {
  const content = Buffer.from(text);
  return {
    ...plain,
    path,
    type: 'file',
    mode: 0o644,
    size: content.length,
    async *content() {
      yield content;
    },
  };
}

export const folderEntry = (path: string, mode = 0o755): WrittenEntry => ({ ...plain, path, type: 'folder', mode });

// Slower levels save another tenth in twice the time.
const level = 1;

/** Returns a gzipped tar for the engine. `onBytes` receives the size of each chunk. */
export function packEntries(
  entries: Iterable<WrittenEntry> | AsyncIterable<WrittenEntry>,
  onBytes: (bytes: number) => void = () => {},
): Readable {
  const gzip = createGzip({ level });
  const tar = Readable.from(inLargePieces(writeTar(each(entries))), { objectMode: false });
  tar.once('error', (error) => gzip.destroy(error));
  // The consumer has given up, so stop reading.
  gzip.once('close', () => tar.destroy());
  gzip.on('data', (chunk: Buffer) => onBytes(chunk.length)).pause();
  return tar.pipe(gzip);
}

const pieceBytes = 256 * 1024;

/** Batches the many small pieces of a tar, because gzip would compress each by itself. */
async function* inLargePieces(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    if ((bytes += piece.length) < pieceBytes) continue;
    yield Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
  }
  yield Buffer.concat(waiting);
}

async function* each(entries: Iterable<WrittenEntry> | AsyncIterable<WrittenEntry>): AsyncGenerator<WrittenEntry> {
  yield* entries;
}
