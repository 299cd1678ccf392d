import { describe, expect, it } from 'vitest';
import { looksSecret, parseEnvFile } from './env-file.ts';

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

  it('takes the last of two with the same name', () => {
    expect(parseEnvFile('A=1\nA=2')).toEqual([{ key: 'A', value: '2' }]);
  });
});

it('tells secrets by their names', () => {
  expect(['API_KEY', 'STRIPE_SECRET', 'DATABASE_URL', 'NPM_TOKEN'].every(looksSecret)).toBe(true);
  expect(['NODE_ENV', 'PUBLIC_URL', 'KEYBOARD'].some(looksSecret)).toBe(false);
});
