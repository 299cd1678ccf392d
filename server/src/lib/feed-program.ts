import type { Writable } from 'node:stream';

/** Writes everything to the standard input of a program and ends it. Unlike `pipeline`, it leaves a stream that is also
 * read open for reading. Throws if the stream is closed before the end. */
export async function feedProgram(input: AsyncIterable<Buffer>, stream: Writable): Promise<void> {
  for await (const chunk of input) {
    if (stream.destroyed || stream.writableEnded) throw new Error('the program ended before its input');
    if (!stream.write(chunk)) await drained(stream);
  }
  stream.end();
}

const drained = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done).off('close', done);
      resolve();
    };
    stream.on('drain', done).on('close', done);
  });
