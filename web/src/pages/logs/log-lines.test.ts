import { expect, it } from 'vitest';
import { merged, mostLines, plainText, sinceOf } from './log-lines.ts';

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
const texts = (lines: readonly { line: string }[]) => lines.map((each) => each.line);

it('adds each line once, also where polls overlap, lines are equal or arrive late', () => {
  const first = merged([], [line(1000, 'one'), line(5000, 'twice'), line(5000, 'twice')]);
  expect(sinceOf(first)).toBe(new Date(second + 2000).toISOString());
  const again = [line(5000, 'twice'), line(5000, 'twice')];
  expect(merged(first, again)).toBe(first);
  const more = merged(first, [
    line(4000, 'late'),
    ...again,
    line(5000, 'twice'),
    line(5000, 'twice', 2),
    line(6000, 'x'),
  ]);
  expect(texts(more)).toEqual(['one', 'late', 'twice', 'twice', 'twice', 'twice', 'x']);
  expect(new Set(more.map(({ number }) => number)).size).toBe(more.length);
});

it('knows a coloured line again when it comes a second time', () => {
  const coloured = line(0, '\u001b[31mred \u001b[0m');
  const first = merged([], [coloured]);
  expect(texts(first)).toEqual(['red']);
  expect(merged(first, [coloured])).toBe(first);
});

it('keeps the newest 2,000 lines', () => {
  const first = merged(
    [],
    Array.from({ length: mostLines }, (_, index) => line(index, `${index}`)),
  );
  const next = merged(first, [line(mostLines, 'last')]);
  expect([next.length, next[0]?.line, next.at(-1)?.line]).toEqual([mostLines, '1', 'last']);
});

it('removes colour codes, links, titles, control characters and overwritten text', () => {
  expect(plainText('\u001b[1;31mred\u001b[0m \u001b[38;5;12mblue')).toBe('red blue');
  expect(plainText('\u001b]8;;https://example.org\u0007link\u001b]8;;\u0007')).toBe('link');
  expect(plainText('10%\r50%\r100%\r')).toBe('100%');
  expect(plainText('\tin\u0000side\u202e')).toBe('    in side');
});
