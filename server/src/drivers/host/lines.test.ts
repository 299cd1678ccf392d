import { describe, expect, it } from 'vitest';
import { cutMark, longestLine, splitLines } from './lines.ts';

function linesOf(bytes: Buffer, size: number): string[] {
  const lines: string[] = [];
  const splitter = splitLines((line) => lines.push(line));
  for (let at = 0; at < bytes.length; at += size) splitter.push(bytes.subarray(at, at + size));
  splitter.end();
  return lines;
}

describe('lines', () => {
  const text = 'one\r\n\nzwölf 💥\n10%\r 50%\r100% done\r\n  kept  \nlast without end';

  it.each([1, 2, 3, 5, 7, 1000])('are the same in chunks of %i bytes', (size) => {
    expect(linesOf(Buffer.from(text), size)).toEqual([
      'one',
      '',
      'zwölf 💥',
      '100% done',
      '  kept  ',
      'last without end',
    ]);
  });

  it.each([1000, 100_000])('are cut when they are too long (%i bytes at a time)', (size) => {
    const long = `${'x'.repeat(longestLine)}\n${'y'.repeat(longestLine + 1)}${'z'.repeat(50_000)}\nnext\n`;
    expect(linesOf(Buffer.from(long), size)).toEqual([
      'x'.repeat(longestLine),
      'y'.repeat(longestLine) + cutMark,
      'next',
    ]);
  });

  it('of an endless progress bar stay bounded and show its last state', () => {
    const bar = Array.from({ length: 5000 }, (_, i) => `${i} of 5000`).join('\r');
    expect(linesOf(Buffer.from(bar), 999)).toEqual(['4999 of 5000']);
    expect(linesOf(Buffer.from('50%\r'), 1)).toEqual(['50%']);
  });

  it('of nothing but carriage returns take linear time', () => {
    const began = performance.now();
    expect(linesOf(Buffer.from(`${'\r'.repeat(60_000)}x\n`), 64_000)).toEqual(['x']);
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('survive invalid UTF-8 and empty output', () => {
    expect(linesOf(Buffer.from([0x61, 0xff, 0x0a, 0xf0, 0x9f]), 1)).toEqual(['a\ufffd', '\ufffd']);
    expect(linesOf(Buffer.alloc(0), 1)).toEqual([]);
    expect(linesOf(Buffer.from('\n'), 1)).toEqual(['']);
  });
});
