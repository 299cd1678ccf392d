import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, badRequest } from '../../../errors.ts';

/** Maximum size of a delivery at the git host. */
export const largestBody = 25_000_000;
const withinMs = 10_000;

/** Reads unauthenticated bodies within a shared memory limit. */
export class BodyIntake {
  /** Maximum of all concurrent bodies in memory. */
  readonly #most: number;
  #held = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  /** Reads the body and counts its memory while `use` runs. */
  async read<T>(raw: Readable, headers: IncomingHttpHeaders, use: (body: Buffer) => Promise<T>): Promise<T> {
    if (Number(headers['content-length'] ?? 0) > largestBody) throw tooLarge();
    const chunks: Buffer[] = [];
    let bytes = 0;
    const late = setTimeout(() => raw.destroy(badRequest('the body took too long')), withinMs);
    try {
      for await (const chunk of raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        this.#held += chunk.length;
        if (bytes > largestBody) throw tooLarge();
        if (this.#held > this.#most)
          throw new AppError('unavailable', 'too many webhook deliveries at once', { retryAfterSeconds: 5 });
        chunks.push(chunk);
      }
      clearTimeout(late);
      return await use(Buffer.concat(chunks));
    } catch (error) {
      throw isCutOff(error) ? badRequest('the body was cut off') : error;
    } finally {
      clearTimeout(late);
      this.#held -= bytes;
    }
  }
}

const tooLarge = () => new AppError('too_large', `a webhook delivery has at most ${largestBody / 1e6} MB`);

const isCutOff = (error: unknown): boolean =>
  ['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes((error as NodeJS.ErrnoException).code ?? '');
