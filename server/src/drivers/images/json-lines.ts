import { EngineAwayError } from '../runtime/errors.ts';

/** Larger than any frame of an engine; a frame is buffered as a whole. */
const longestFrame = 32 * 2 ** 20;

/** Parses a response of JSON objects, one per line. A truncated response counts as an unreachable engine. */
export async function* jsonLines<T>(answer: AsyncIterable<Buffer>): AsyncGenerator<T> {
  let parts: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of answer) {
      let from = 0;
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
        const line = Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8');
        [parts, held, from] = [[], 0, at + 1];
        if (line.trim()) yield JSON.parse(line) as T;
      }
      if (from < chunk.length) parts.push(chunk.subarray(from));
      held += chunk.length - from;
      if (held > longestFrame) throw new Error('the engine sent an endless frame');
    }
  } catch (error) {
    if (isConnectionLoss(error)) throw new EngineAwayError(error);
    throw error;
  }
  const rest = Buffer.concat(parts).toString('utf8');
  if (rest.trim()) yield JSON.parse(rest) as T;
}

const isConnectionLoss = (error: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
