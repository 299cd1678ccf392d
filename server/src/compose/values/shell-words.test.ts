import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shellWords } from './shell-words.ts';

describe('splitting a command', () => {
  // Results of Docker Compose 2.40.
  it.each([
    ['echo \\" "a\\nb" "\\q" \'a\\b\' \'\' ""', ['echo', '"', 'anb', 'q', 'a\\b', '', '']],
    ['a"b c"d', ['ab cd']],
    ['a\\\nb', ['a\nb']],
    ['a\nb\tc', ['a', 'b', 'c']],
    ['$(x y) z', ['$(x y)', 'z']],
    ['`a b` c', ['`a b`', 'c']],
    ['# a #b', ['#', 'a', '#b']],
    ['\'a"b\' "a\'b"', ['a"b', "a'b"]],
    ['[ -f x ] {a,b} a=b !x', ['[', '-f', 'x', ']', '{a,b}', 'a=b', '!x']],
    ['"a;b" a\\;b', ['a;b', 'a;b']],
    ['  ', []],
  ])('%j', (text, words) => expect(shellWords(text)).toEqual({ words, cut: null }));

  it.each([
    ['a; b', ['a'], ';'],
    ['a && b', ['a'], '&'],
    ['a 2>&1', ['a'], '>'],
    ['a<b', ['a'], '<'],
    ['2>1', [], '>'],
  ])('cuts %j', (text, words, cut) => expect(shellWords(text)).toEqual({ words, cut }));

  it.each(['(a)', 'a (b)', 'a`b', 'a\\', 'a )', 'echo "x'])('rejects %j', (text) =>
    expect(shellWords(text)).toBeUndefined(),
  );

  it('restores quoted words', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        const text = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
        expect(shellWords(text)?.words).toEqual(words);
      }),
    );
  });
});
