import type { Readable } from 'node:stream';
import type { LogLine } from '../../runtime.ts';
import { EngineAwayError } from '../../errors.ts';

export interface LogFrame {
  stream: LogLine['stream'];
  /** Time at which the engine read it, to the nanosecond: `2026-01-31T12:00:00.123456789Z`. */
  mark: string;
  /** One line with its line feed, or a piece of a very long one. */
  content: Buffer;
}

const headerBytes = 8;
/** Frames and lines are buffered as a whole. Engines send a few kilobytes; a remote one is not trusted. */
const longestFrame = 4 * 1024 * 1024;
export const [stdout, stderr] = [1, 2];

/** Parses the engine's log: an 8-byte header (stream, length), then the time and the line. The log of a terminal
 * (`isRaw`) has no headers and one stream. */
export async function* logFrames(log: Readable, isRaw = false): AsyncGenerator<LogFrame> {
  if (isRaw) {
    yield* rawFrames(log);
    return;
  }
  for await (const { kind, payload } of streamFrames(log)) yield frameOf(kind, payload);
}

/** Parses the multiplexed output of a process without a terminal. */
export async function* streamFrames(stream: Readable): AsyncGenerator<{ kind: number; payload: Buffer }> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(stream)) {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    for (;;) {
      const end = rest.length < headerBytes ? Infinity : headerBytes + rest.readUInt32BE(4);
      if (end !== Infinity && end > longestFrame) throw tooLong();
      if (rest.length < end) break;
      yield { kind: rest[0]!, payload: rest.subarray(headerBytes, end) };
      rest = rest.subarray(end);
    }
  }
}

async function* rawFrames(log: Readable): AsyncGenerator<LogFrame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(log)) {
    rest = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      // A terminal ends its lines with CR LF.
      const line = rest.subarray(0, rest[end - 1] === 0x0d ? end - 1 : end);
      yield frameOf(stdout, Buffer.concat([line, lineEnd]));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > longestFrame) throw tooLong();
  }
  if (rest.includes(' ')) yield frameOf(stdout, rest);
}

const tooLong = (): Error => new EngineAwayError(new Error('it sends an endless line'));

/** Treats a broken connection as an unreachable engine. */
async function* chunksOf(log: Readable): AsyncGenerator<Buffer> {
  try {
    yield* log as AsyncIterable<Buffer>;
  } catch (error) {
    throw new EngineAwayError(error);
  }
}

function frameOf(kind: number, payload: Buffer): LogFrame {
  const space = payload.indexOf(0x20);
  return {
    stream: kind === stderr ? 'stderr' : 'stdout',
    mark: payload.toString('latin1', 0, space),
    content: payload.subarray(space + 1),
  };
}

export const lineEnd = Buffer.from('\n');
const pieceBytes = 16 * 1024;

/** Whether this is the last output of a process that exited without a line feed. A piece of a longer line is as long
 * as the engine's buffer. */
export const isUnended = ({ content }: LogFrame): boolean =>
  content.at(-1) !== lineEnd[0] && content.length < pieceBytes;

/** Formats a time for the engine's `since`: seconds with all digits of the fraction. */
export function engineTimeOf(mark: string, earlierSeconds = 0): string {
  const seconds = Math.floor(Date.parse(mark) / 1000) - earlierSeconds;
  const fraction = /\.(\d+)/.exec(mark)?.[1] ?? '0';
  return `${seconds}.${fraction.padEnd(9, '0')}`;
}
