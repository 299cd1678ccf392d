import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Failure } from './errors.ts';

/** Writes the body of a response to a file. Never overwrites an existing one, and removes an incomplete one. */
export async function download(to: string, content: () => Promise<unknown>): Promise<void> {
  const file = await open(to, 'wx').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(
      error.code === 'EEXIST' ? `${to} exists already; choose another name with --output` : error.message,
    );
  });
  try {
    await pipeline((await content()) as AsyncIterable<Uint8Array>, file.createWriteStream());
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
