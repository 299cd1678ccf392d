import { describe, expect, it } from 'vitest';
import { layoutOf, linesBetween, lineTop, matchesIn, searchPattern } from './line-layout.ts';
import { logLine } from './lines.ts';

const lineOf = (line: string, number = 1) =>
  logLine(number, { at: '2026-01-01T00:00:00.000Z', line, level: 'info', service: null, replica: null });
const many = (count: number, text = 'x') => Array.from({ length: count }, (_, index) => lineOf(text, index));
const options = { headerPx: 36, columns: undefined, prefixOf: () => 0 };

describe('layoutOf', () => {
  it('stacks headers and lines, and gives folded blocks no height', () => {
    const blocks = [
      { id: 'build', lines: many(10), isFolded: false },
      { id: 'start', lines: many(99), isFolded: true },
      { id: 'check', lines: many(5), isFolded: false },
    ];
    const { height, blocks: placed } = layoutOf(blocks, options);
    expect(placed.map(({ top, bodyTop, bodyHeight }) => [top, bodyTop, bodyHeight])).toEqual([
      [0, 36, 200],
      [236, 272, 0],
      [272, 308, 100],
    ]);
    expect(height).toBe(408);
  });

  it('counts the rows of a wrapped line, including its prefix', () => {
    const lines = [lineOf('x'.repeat(10)), lineOf('x'.repeat(21)), lineOf(''), lineOf('漢'.repeat(10))];
    const wrapped = (prefix: number) =>
      layoutOf([{ id: 'a', lines, isFolded: false }], { ...options, columns: 10, prefixOf: () => prefix }).blocks[0]!;
    expect([...wrapped(0).rowsBefore!]).toEqual([0, 1, 4, 5, 7]);
    expect([...wrapped(1).rowsBefore!]).toEqual([0, 2, 5, 6, 9]);
    expect(lineTop(wrapped(0), 2)).toBe(80);
  });

  it('measures appended lines, and measures all again when the width changes', () => {
    const lines = many(3, 'x'.repeat(15));
    const rowsAt = (columns: number | undefined) =>
      layoutOf([{ id: 'a', lines, isFolded: false }], { ...options, columns }).blocks[0]!.rowsBefore;
    expect([...rowsAt(10)]).toEqual([0, 2, 4, 6]);
    lines.push(...many(200, 'y'));
    expect(rowsAt(10).slice(0, 6)).toEqual(new Int32Array([0, 2, 4, 6, 7, 8]));
    expect([rowsAt(10)[203], rowsAt(5)[203], rowsAt(undefined)[203]]).toEqual([206, 209, 203]);
  });
});

describe('linesBetween', () => {
  const plain = layoutOf([{ id: 'a', lines: many(50_000), isFolded: false }], options).blocks[0]!;

  it('finds the visible lines of a long log', () => {
    expect(linesBetween(plain, 36 + 40_000 * 20, 36 + 40_000 * 20 + 400)).toEqual({ from: 40_000, to: 40_021 });
    expect(linesBetween(plain, 0, 30)).toEqual({ from: 0, to: 0 });
    expect(linesBetween(plain, -500, 50)).toEqual({ from: 0, to: 1 });
    expect(linesBetween(plain, 36 + 49_990 * 20, 10_000_000)).toEqual({ from: 49_990, to: 50_000 });
  });

  it('finds the line that a row is in the middle of', () => {
    const lines = [lineOf('x'.repeat(100)), lineOf('y'), lineOf('z'.repeat(100))];
    const block = layoutOf([{ id: 'a', lines, isFolded: false }], { ...options, columns: 10 }).blocks[0]!;
    expect(linesBetween(block, 36 + 5 * 20, 36 + 6 * 20)).toEqual({ from: 0, to: 1 });
    expect(linesBetween(block, 36 + 10 * 20, 36 + 12 * 20)).toEqual({ from: 1, to: 3 });
  });
});

describe('search', () => {
  it('ignores case, takes the words literally, and searches folded blocks too', () => {
    const blocks = [
      { id: 'a', lines: [lineOf('Warning: a.b'), lineOf('fine')], isFolded: true },
      { id: 'b', lines: [lineOf('\u001b[33mwarning\u001b[0m: axb')], isFolded: false },
    ];
    const found = (words: string) => matchesIn(blocks, searchPattern(words)).map(({ block, index }) => block + index);
    expect(found('WARNING')).toEqual(['a0', 'b0']);
    expect(found('a.b')).toEqual(['a0']);
    expect(found('  ')).toEqual([]);
    expect(found('[')).toEqual([]);
  });

  it('finds appended lines once', () => {
    const lines = [lineOf('one'), lineOf('two')];
    const count = () => matchesIn([{ id: 'a', lines, isFolded: false }], searchPattern('one')).length;
    expect([count(), count()]).toEqual([1, 1]);
    lines.push(lineOf('another one'));
    expect([count(), count()]).toEqual([2, 2]);
  });
});

describe('levelOf', () => {
  it('recognizes the errors of compilers, package managers and programs', () => {
    const errors = [
      'ReferenceError: nope is not defined',
      'src/a.ts(3,1): error TS2304: Cannot find name',
      'npm error Missing script: "build"',
      'sh: 1: vite: not found',
      'error[E0425]: cannot find value',
      'Error: Cannot find module',
      'panic: runtime error: index out of range',
      '\u001b[31mERROR\u001b[0m failed to build',
    ];
    for (const line of errors) expect(lineOf(line).level, line).toBe('error');
  });

  it('ignores lines that only mention an error', () => {
    const fine = ['compiled with 0 errors', 'GET /error 200', 'built error-page.js', 'npm error code 1', 'terror: no'];
    for (const line of fine) expect(lineOf(line).level, line).toBe('info');
  });
});
