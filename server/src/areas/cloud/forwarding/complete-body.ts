import { Readable } from 'node:stream';
import { cloudUnanswered, cloudUnreachable } from '../../../drivers/cloud/cloud-answers.ts';

const mostHeld = 1 << 20;

/** An answer that breaks off is none, and whoever gets the beginning of it cannot be told any more: it is held until all of it
 * is there, or so much that it has to be passed on as it comes. */
export async function completeBody(body: Readable, isOnce: boolean): Promise<Readable> {
  const held: Buffer[] = [];
  let bytes = 0;
  // Whoever reads it next finds the error, too; until somebody does, it is nobody's.
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
