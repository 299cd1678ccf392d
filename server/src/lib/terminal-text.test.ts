import { expect, it } from 'vitest';
import { terminalText } from './terminal-text.ts';

it.each([
  ['\u001b[1;31mError:\u001b[0m no', 'Error: no'],
  ['\u001b]0;title\u0007\tindented', '\tindented'],
  ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['\u001b[?25l\u001b[2K\u001b[1Ghello\u001b(B', 'hello'],
  ['a\u0008\u0000b\u009b31mc\u001b[', 'abc'],
])('converts %j to %j', (line, shown) => {
  expect(terminalText(line)).toBe(shown);
});

it('takes linear time', () => {
  const began = performance.now();
  for (const part of ['\u001b', '\u001b]', '\u001b[0;', '\u009b1', '\u001bP']) terminalText(part.repeat(200_000));
  expect(performance.now() - began).toBeLessThan(2000);
});
