import { appendFileSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { newFolder } from '../../../../test/rig/children.ts';
import { readLog } from './log-reader.ts';
import { logFile, LogWriter } from './log-writer.ts';

const limits = { logFileBytes: 5_000_000, logFiles: 3 };
const noReport = (what: string, error: unknown) => {
  throw new Error(what, { cause: error });
};

const asItIs = (line: string) => line;

describe('log files', () => {
  it('are read from the end across block boundaries', async () => {
    const folder = newFolder('logs');
    const writer = new LogWriter(folder, limits, noReport, asItIs);
    // Lines longer than a block, multi-byte characters, short lines.
    const written = Array.from({ length: 400 }, (_, i) => `${i} ${'é💥x'.repeat(i % 50 === 0 ? 15_000 : i)}`);
    for (const line of written) writer.write('stdout', line);
    writer.flush();
    expect((await readLog(folder, {})).map(({ line }) => line)).toEqual(written);
    expect((await readLog(folder, { tail: 60 })).map(({ line }) => line)).toEqual(written.slice(-60));
    expect(await readLog(folder, { since: Date.now() + 1000 })).toEqual([]);
  });

  it('continue in the same file after a restart and skip a partial line', async () => {
    const folder = newFolder('logs');
    for (const line of ['one', 'two']) {
      const writer = new LogWriter(folder, limits, noReport, asItIs);
      writer.write('stderr', line);
      writer.flush();
      appendFileSync(logFile(folder, 1), line === 'one' ? '{"at":1,"stre\n' : '{"at":1,"stre');
    }
    const writer = new LogWriter(folder, limits, noReport, asItIs);
    writer.write('stdout', 'three');
    writer.flush();
    expect((await readLog(folder, {})).map(({ line }) => line)).toEqual(['one', 'two', 'three']);
  });

  it('lose lines on a full disk, report how many, and recover', async () => {
    const folder = newFolder('logs');
    const reports: string[] = [];
    const writer = new LogWriter(folder, limits, (what, error) => reports.push(`${what}: ${String(error)}`), asItIs);
    symlinkSync('/dev/full', logFile(folder, 1));
    for (const line of ['a', 'b', 'c']) {
      writer.write('stdout', line);
      writer.flush();
    }
    expect(reports).toEqual([expect.stringMatching(/cannot be written.*ENOSPC/)]);
    rmSync(logFile(folder, 1));
    writer.write('stdout', 'd');
    writer.flush();
    expect((await readLog(folder, {})).map(({ line }) => line)).toEqual(['[mooring] 3 lines were lost', 'd']);
  });
});
