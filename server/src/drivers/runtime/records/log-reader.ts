import { type FileHandle, open } from 'node:fs/promises';
import type { LogLine } from '../runtime.ts';
import { logFile, logNumbers } from './log-writer.ts';

const blockBytes = 64 * 1024;
const mostBytes = 8 * 1024 * 1024;
const mostLines = 10_000;

export type LogQuery = { tail?: number; since?: number };

/** The last lines of several folders, by time. */
export async function readLogs(folders: string[], query: LogQuery): Promise<LogLine[]> {
  const each = await Promise.all(folders.map((folder) => readLog(folder, query)));
  if (each.length < 2) return each[0] ?? [];
  const lines = each.flat().toSorted((a, b) => a.at - b.at);
  return query.tail === undefined ? lines : lines.slice(Math.max(0, lines.length - query.tail));
}

/** The last lines, oldest first, read from the end: what is not asked for is not read. */
export async function readLog(folder: string, { tail, since }: LogQuery): Promise<LogLine[]> {
  const wanted = Math.max(0, Math.min(tail ?? mostLines, mostLines));
  const newestFirst: LogLine[] = [];
  let bytesLeft = mostBytes;
  for (const number of wanted ? logNumbers(folder).toReversed() : []) {
    const file = await openIfThere(logFile(folder, number));
    if (!file) continue;
    try {
      for await (const text of linesFromEnd(file)) {
        bytesLeft -= text.length;
        const line = parse(text);
        if (!line) continue;
        if (since !== undefined && line.at < since) return newestFirst.toReversed();
        newestFirst.push(line);
        if (newestFirst.length === wanted || bytesLeft <= 0) return newestFirst.toReversed();
      }
    } finally {
      await file.close();
    }
  }
  return newestFirst.toReversed();
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
    // A block may begin inside a line; that piece waits for the block before it.
    head = position > 0 ? bytes.subarray(0, first < 0 ? bytes.length : first) : Buffer.alloc(0);
    if (position > 0 && first < 0) continue;
    const lines = bytes
      .subarray(first + 1)
      .toString('utf8')
      .split('\n');
    for (const line of lines.toReversed()) if (line) yield line;
  }
}

/** Undefined for half a line, which a full disk leaves behind. */
function parse(text: string): LogLine | undefined {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return undefined;
  }
}

/** Undefined when it was rotated away between two looks. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
