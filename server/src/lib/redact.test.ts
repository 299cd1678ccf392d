import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMark, longestLine } from '../drivers/host/lines.ts';
import { cutLineMark, redactor } from './redact.ts';

const secret = 'p@ss word/with+"signs"';
const base64 = (text: string) => Buffer.from(text).toString('base64');

it.each([
  ['as it is', `url=${secret}!`],
  ['base64', `x ${base64(secret)} y`],
  ['base64 for URLs', Buffer.from(`>>>>${secret}`).toString('base64url')],
  ['base64 behind one character', base64(`u${secret}`)],
  ['base64 behind a name', base64(`user:${secret}`)],
  ['base64 behind and before something', base64(`us:${secret}@host`)],
  ['URL-encoded', `https://u:${encodeURIComponent(secret)}@h`],
  ['URL-encoded in lower case', encodeURIComponent(secret).toLowerCase()],
  ['as a form sends it', new URLSearchParams({ a: secret, b: 'c' }).toString()],
  ['in JSON', JSON.stringify({ key: secret })],
  ['cut off in the middle of a text', `${secret.slice(0, 15)}${cutMark}, and the disk is full`],
  ['cut off by the end of the line', `${'x'.repeat(20)}${secret.slice(0, 15)}${cutMark}`],
])('redacts a value %s', (_, line) => {
  const hidden = redactor([secret])(line);
  expect(hidden).toContain('[hidden]');
  expect(hidden).not.toMatch(/sign|word|c2ln|d29yZ|28yZ/);
});

it('redacts each line of a key and the longer of two values, but no short words', () => {
  const key = '-----BEGIN KEY-----\nabcdefghijklmnop\n-----END KEY-----';
  expect(redactor([key])('got abcdefghijklmnop')).toBe('got [hidden]');
  expect(redactor([key])(JSON.stringify(key))).toBe('"[hidden]"');
  expect(redactor(['12345678', '1234567890'])('1234567890')).toBe('[hidden]');
  expect(redactor(['true', ''])('true enough')).toBe('true enough');
  expect(redactor(['a.b*c(d)e'])('xa.b*c(d)e')).toBe('x[hidden]');
  expect(redactor(['abcdefgh'])('abcdefghabcdefgh-abcdefg')).toBe('[hidden][hidden]-abcdefg');
});

it('uses the mark of a cut line', () => expect(cutLineMark).toBe(cutMark));

describe('redactor', () => {
  const odd = fc.string({ unit: 'binary', minLength: 8, maxLength: 40 });

  it('leaves no value and loses nothing else', () =>
    fc.assert(
      fc.property(
        fc.array(odd, { minLength: 1, maxLength: 5 }),
        fc.nat(4),
        odd,
        odd,
        (values, which, before, after) => {
          const value = values[which % values.length]!;
          const hide = redactor(values);
          const written = value.toWellFormed().trim();
          fc.pre(written.length >= 8);
          expect(hide(`${before}${written}${after}`)).toContain('[hidden]');
          expect(hide(written)).not.toContain(written);
          expect(hide('an ordinary line')).toBe('an ordinary line');
        },
      ),
      { numRuns: 300 },
    ));

  it('handles as many and as long values as a project may have', () => {
    const values = Array.from({ length: 200 }, () => randomBytes(8000).toString('hex'));
    const hide = redactor(values);
    expect(hide(`a ${values[7]} b`)).toBe('a [hidden]');
    expect(hide(values[8]!.slice(0, longestLine - 2) + cutMark)).toBe(`[hidden]${cutMark}`);
    const began = performance.now();
    for (let i = 0; i < 5000; i++) hide(`an ordinary line of output, number ${i} of many: 0123456789abcdef`);
    expect(performance.now() - began).toBeLessThan(1500);
  });

  it('redacts the rest of a line after 4 KB of a longer value, also where it is encoded', () => {
    const value = randomBytes(16_000).toString('hex');
    const hide = redactor([value]);
    for (const text of [value, JSON.stringify({ value }), base64(value), base64(`user:${value}`)]) {
      expect(hide(`token ${text} after`)).toMatch(/^token .{0,10}\[hidden\]$/);
      expect(hide(`token ${text.slice(0, 3000)}`)).toMatch(/^token .{0,10}\[hidden\]$/);
    }
  });

  it('redacts 40 and more characters from the start of a value, wherever the text goes on differently', () => {
    const value = randomBytes(60).toString('hex');
    const hide = redactor([value, `${value.slice(0, 50)}another`]);
    expect(hide(`a ${value.slice(0, 60)}... b`)).toBe('a [hidden]... b');
    expect(hide(`a ${value.slice(0, 50)}another b`)).toBe('a [hidden] b');
    expect(hide(`a ${value.slice(0, 30)}... b`)).toBe(`a ${value.slice(0, 30)}... b`);
  });

  it('takes time in proportion to the text, also with thousands of values that begin alike', () => {
    const lines = (from: number) => Array.from({ length: 2000 }, (_, i) => `aaaaaaaa${from + i}`).join('\n');
    const hide = redactor(Array.from({ length: 20 }, (_, i) => lines(i * 2000)));
    expect(hide('x aaaaaaaa777 y')).toBe('x [hidden] y');
    const took = (text: string) => {
      const began = performance.now();
      for (let i = 0; i < 20; i++) hide(text);
      return performance.now() - began;
    };
    took('a'.repeat(2000));
    expect(took('a'.repeat(longestLine))).toBeLessThan(2000);
  });

  it('handles a text that nearly consists of values cheaply and without leaking', () => {
    const hide = redactor([`${'a'.repeat(8000)}b`]);
    const began = performance.now();
    for (let i = 0; i < 50; i++) hide(`${'a'.repeat(longestLine)}c`);
    expect(performance.now() - began).toBeLessThan(1500);
    expect(hide(`${'a'.repeat(longestLine)}${'a'.repeat(8000)}b`)).not.toContain('b');
  });
});
