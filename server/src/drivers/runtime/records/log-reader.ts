import { type FileHandle, open } from 'node:fs/promises';
import type { LogLine } from '../runtime.ts';
import { type LogEntry, logFile, logNumbers } from './log-writer.ts';

const blockBytes = 64 * 1024;
const mostBytes = 8 * 1024 * 1024;
const mostLines = 10_000;

export type LogRange = { tail?: number; since?: number };

/** A log folder, and its service or replica where there are several. */
export interface LogSource {
  folder: string;
  service?: string;
  replica?: number;
}

/** Returns the last lines of several folders, by time. */
export async function readLogs(sources: LogSource[], query: LogRange): Promise<LogLine[]> {
  const each = await Promise.all(
    sources.map(async ({ folder, service, replica }) => {
      const lines = await readLog(folder, query);
      if (service === undefined && replica === undefined) return lines;
      const whose = { ...(service !== undefined && { service }), ...(replica !== undefined && { replica }) };
      return lines.map((line) => ({ ...line, ...whose }));
    }),
  );
  if (each.length < 2) return each[0] ?? [];
  const lines = each.flat().toSorted((a, b) => a.at - b.at);
  return query.tail === undefined ? lines : lines.slice(Math.max(0, lines.length - query.tail));
}

/** Returns the last lines, oldest first. Reads from the end, and no more than needed. */
export async function readLog(folder: string, { tail, since }: LogRange): Promise<LogLine[]> {
  const wanted = Math.max(0, Math.min(tail ?? mostLines, mostLines));
  const newestFirst: LogLine[] = [];
  if (!wanted) return newestFirst;
  let bytesLeft = mostBytes;
  for await (const { entry, length } of entriesFromEnd(folder)) {
    if (since !== undefined && entry.at < since) break;
    const { at, stream, line } = entry;
    newestFirst.push({ at, stream, line });
    bytesLeft -= length;
    if (newestFirst.length === wanted || bytesLeft <= 0) break;
  }
  return newestFirst.toReversed();
}

/** Yields stored lines, newest first. */
export async function* entriesFromEnd(folder: string): AsyncGenerator<{ entry: LogEntry; length: number }> {
  for (const number of logNumbers(folder).toReversed()) {
    const file = await openIfThere(logFile(folder, number));
    if (!file) continue;
    try {
      for await (const text of linesFromEnd(file)) {
        const entry = parse(text);
        if (entry) yield { entry, length: text.length };
      }
    } finally {
      await file.close();
    }
  }
}

async function* linesFromEnd(file: FileHandle): AsyncGenerator<string> {
  let { size: position } = await file.stat();
  let head = Buffer.alloc(0);
  while (position > 0) {
    const length = Math.min(blockBytes, position);
    position -= length;
    const block = Buffer.alloc(length);
    const { bytesRead } = await file.read(block, 0, length, position);
    const bytes = Buffer.concat([block.subarray(0, bytesRead), head]);
    const first = position > 0 ? bytes.indexOf(10) : -1;
    // A block may begin inside a line; keep that piece for the preceding block.
    head = position > 0 ? bytes.subarray(0, first < 0 ? bytes.length : first) : Buffer.alloc(0);
    if (position > 0 && first < 0) continue;
    const lines = bytes
      .subarray(first + 1)
      .toString('utf8')
      .split('\n');
    for (const line of lines.toReversed()) if (line) yield line;
  }
}

/** Returns undefined for a partial line, which a full disk leaves behind. */
function parse(text: string): LogEntry | undefined {
  try {
    return JSON.parse(text) as LogEntry;
  } catch {
    return undefined;
  }
}

/** Returns undefined when it was rotated away meanwhile. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
