import { describe, expect, it } from 'vitest';
import { looksSecret, parseEnvFile, readEnvFile } from './env-file.ts';

describe('parseEnvFile', () => {
  it('reads names and values, with comments, quotes and export', () => {
    const text = [
      '# settings of the shop',
      'PLAIN=hello world  ',
      'EMPTY=',
      'export EXPORTED = yes # why',
      'DOUBLE="a \\"quoted\\" #text\\nand a line"',
      "SINGLE='kept \\n as it is'",
      'HASH=abc#def',
      'no variable here',
      '2WRONG=x',
    ].join('\n');
    expect(parseEnvFile(text)).toEqual([
      { key: 'PLAIN', value: 'hello world' },
      { key: 'EMPTY', value: '' },
      { key: 'EXPORTED', value: 'yes' },
      { key: 'DOUBLE', value: 'a "quoted" #text\nand a line' },
      { key: 'SINGLE', value: 'kept \\n as it is' },
      { key: 'HASH', value: 'abc#def' },
    ]);
  });

  it('reads values over several lines, and Windows line ends', () => {
    expect(parseEnvFile('KEY="-----BEGIN\r\nabc\r\n-----END"\r\nNEXT=1\r\n')).toEqual([
      { key: 'KEY', value: '-----BEGIN\nabc\n-----END' },
      { key: 'NEXT', value: '1' },
    ]);
  });

  it('takes the last of two entries with the same name', () => {
    expect(parseEnvFile('A=1\nA=2')).toEqual([{ key: 'A', value: '2' }]);
  });

  it('keeps an unclosed quote, and a URL with a fragment', () => {
    expect(parseEnvFile('OPEN="abc\nNEXT="x" # note\nURL=http://x/#frag\nNONE=# note')).toEqual([
      { key: 'OPEN', value: '"abc' },
      { key: 'NEXT', value: 'x' },
      { key: 'URL', value: 'http://x/#frag' },
      { key: 'NONE', value: '' },
    ]);
  });

  it('reports the lines that are not variables', () => {
    const text = '# note\n\nA="one\ntwo"\nBAD-NAME=1\n  # note\n2X=3\nB=2\nwords';
    expect(readEnvFile(text).skipped).toEqual([5, 7, 9]);
  });

  it('parses large texts in linear time', () => {
    const texts = [
      Array.from({ length: 100_000 }, (_, index) => `a log line "${index}`).join('\n'),
      `A="${'\\x'.repeat(500_000)}\nB="${'y#'.repeat(500_000)}`,
      '\n '.repeat(500_000),
    ];
    const start = performance.now();
    texts.forEach(parseEnvFile);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

it('recognizes secrets by their names', () => {
  expect(['API_KEY', 'STRIPE_SECRET', 'DATABASE_URL', 'NPM_TOKEN'].every(looksSecret)).toBe(true);
  expect(['NODE_ENV', 'PUBLIC_URL', 'KEYBOARD'].some(looksSecret)).toBe(false);
});
