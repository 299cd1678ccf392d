import { expect, it } from 'vitest';
import { mergeLogLines, mostLines, logSince } from './runtime-lines.ts';

const second = Date.UTC(2026, 0, 1);
const line = (ms: number, text: string, replica = 1) => ({
  at: new Date(second + ms).toISOString(),
  kind: 'runtime' as const,
  line: text,
  level: 'info',
  step: null,
  stream: 'stdout',
  service: null,
  replica,
  seq: null,
});
const texts = (lines: readonly { text: string }[]) => lines.map((each) => each.text);

it('adds each line once, even if polls overlap, lines are equal or arrive late', () => {
  const first = mergeLogLines([], [line(1000, 'one'), line(5000, 'twice'), line(5000, 'twice')]);
  expect(logSince(first)).toBe(new Date(second + 2000).toISOString());
  const again = [line(5000, 'twice'), line(5000, 'twice')];
  expect(mergeLogLines(first, again)).toBe(first);
  const more = mergeLogLines(first, [
    line(4000, 'late'),
    ...again,
    line(5000, 'twice'),
    line(5000, 'twice', 2),
    line(6000, 'x'),
  ]);
  expect(texts(more)).toEqual(['one', 'late', 'twice', 'twice', 'twice', 'twice', 'x']);
  expect(new Set(more.map(({ number }) => number)).size).toBe(more.length);
});

it('recognizes a coloured line that arrives again', () => {
  const coloured = line(0, '\u001b[31mred \u001b[0m');
  const first = mergeLogLines([], [coloured]);
  expect(texts(first)).toEqual(['red']);
  expect(mergeLogLines(first, [coloured])).toBe(first);
});

it('keeps the newest 10,000 lines', () => {
  const first = mergeLogLines(
    [],
    Array.from({ length: mostLines }, (_, index) => line(index, `${index}`)),
  );
  const next = mergeLogLines(first, [line(mostLines, 'last')]);
  expect([next.length, next[0]?.text, next.at(-1)?.text]).toEqual([mostLines, '1', 'last']);
});
