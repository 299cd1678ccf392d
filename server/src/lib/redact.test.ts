import { expect, it } from 'vitest';
import { redactor } from './redact.ts';

const secret = 'p@ss word/with+signs';

it.each([
  ['as it is', `url=${secret}!`],
  ['base64', `x ${Buffer.from(secret).toString('base64')} y`],
  ['URL-encoded', `https://u:${encodeURIComponent(secret)}@h`],
])('hides a value %s', (_, line) => {
  const hidden = redactor([secret])(line);
  expect(hidden).toContain('[hidden]');
  expect(hidden).not.toContain('signs');
});

it('hides each line of a key, the longer of two values first, and no short words', () => {
  const key = '-----BEGIN KEY-----\nabcdefghijklmnop\n-----END KEY-----';
  expect(redactor([key])('got abcdefghijklmnop')).toBe('got [hidden]');
  expect(redactor(['12345678', '1234567890'])('1234567890')).toBe('[hidden]');
  expect(redactor(['true', ''])('true enough')).toBe('true enough');
  expect(redactor(['a.b*c(d)e'])('xa.b*c(d)e')).toBe('x[hidden]');
});
