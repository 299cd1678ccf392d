import { describe, expect, it } from 'vitest';
import { jsonLine, jsonLineParser } from './json-lines.ts';

describe('JSON lines', () => {
  const values = [{ text: 'é💥\n' }, [], 'x'.repeat(100_000), null, 3];
  const all = Buffer.from(values.map(jsonLine).join(''));

  it.each([1, 3, 1000, 1_000_000])('are parsed from chunks of %i bytes', (size) => {
    const taken: unknown[] = [];
    const take = jsonLineParser((value) => taken.push(value));
    for (let at = 0; at < all.length; at += size) take(all.subarray(at, at + size));
    expect(taken).toEqual(values);
  });

  it('have a maximum length', () => {
    const take = jsonLineParser(() => {});
    const chunk = Buffer.alloc(1024 * 1024, 'x');
    expect(() => {
      for (let i = 0; i < 64; i++) take(chunk);
    }).toThrow('an endless line');
  });
});
