import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { tarEnd, type TarEntry, tarHeader, tarPadding } from '@mooring/client/folder';
import { Failure } from '../errors.ts';

/** Streams the entries of a folder as a tar. */
export async function* writeTar(root: string, entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const entry of entries) {
    yield tarHeader(entry);
    if (entry.type === 'file') yield* fileBody(join(root, entry.path), entry.path, entry.size);
  }
  yield tarEnd();
}

/** Reads exactly the size in the header; later additions wait for the next deployment. */
async function* fileBody(file: string, path: string, size: number): AsyncGenerator<Uint8Array> {
  if (!size) return;
  const handle = await open(file, 'r');
  try {
    let missing = size;
    for await (const chunk of handle.createReadStream({ end: size - 1, autoClose: false }) as AsyncIterable<Buffer>) {
      missing -= chunk.length;
      yield chunk;
    }
    if (missing) throw new Failure(`${path} changed while it was uploaded; deploy again`);
  } finally {
    await handle.close();
  }
  yield tarPadding(size);
}
