import { Readable } from 'node:stream';
import { cloudUnanswered, cloudUnreachable } from '../../../drivers/cloud/cloud-answers.ts';

const mostHeld = 1 << 20;

/**
 * Buffers a response up to a limit, so that one that ends early becomes an error instead of a truncated body. Larger
 * ones are streamed.
 */
export async function completeBody(body: Readable, isOnce: boolean): Promise<Readable> {
  const held: Buffer[] = [];
  let bytes = 0;
  // Prevents an unhandled error; the next reader gets it as well.
  body.on('error', () => {});
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      held.push(chunk);
      bytes += chunk.length;
      if (bytes > mostHeld) return Readable.from(after(Buffer.concat(held), body));
    }
  } catch (error) {
    throw (isOnce ? cloudUnanswered : cloudUnreachable)('ended its response early', error);
  }
  return Readable.from([Buffer.concat(held)]);
}

async function* after(begun: Buffer, rest: Readable): AsyncGenerator<Buffer> {
  yield begun;
  yield* rest as AsyncIterable<Buffer>;
}
