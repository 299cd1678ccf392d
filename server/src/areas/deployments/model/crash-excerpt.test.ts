import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { redactor } from '../../../lib/redact.ts';
import { crashExcerpt } from './crash-excerpt.ts';

const folder = join(import.meta.dirname, '../../../../test/crash-logs');

describe('crash excerpt', () => {
  const cases = readdirSync(folder).filter((name) => name.endsWith('.txt'));

  it.each(cases)('%s', async (name) => {
    const found = crashExcerpt(readFileSync(join(folder, name), 'utf8').split('\n'));
    const shown = found ? `${found.reason}\n\n${found.lines.join('\n')}\n` : 'nothing\n';
    await expect(shown).toMatchFileSnapshot(join(folder, name.replace(/\.txt$/, '.expected')));
  });

  it('finds the error in front of a long stack trace, and in the last of several attempts', () => {
    const attempt = (number: number) => [
      `Error: attempt ${number}`,
      ...Array.from({ length: 60 }, (_, i) => `    at f${i} (/app/a.js:1:1)`),
    ];
    expect(crashExcerpt([...attempt(1), ...attempt(2), ...attempt(3)])?.reason).toBe('Error: attempt 3');
  });

  it('shows nothing of the crash before', () => {
    const crash = [
      '/app/a.js:1',
      'throw new Error("no port")',
      'Error: no port',
      '    at a (/app/a.js:1:1)',
      '',
      'Node.js v24.1.0',
    ];
    expect(crashExcerpt([...crash, ...crash])?.lines).toEqual(crashExcerpt(crash)?.lines);
  });

  it('does not leak the beginning of a truncated secret', () => {
    const secret = 's3cret-0123456789abcdef';
    const redact = redactor([secret]);
    const output = [`Error: ${'x'.repeat(280)} ${secret}`, `${'y'.repeat(290)} ${secret}`];
    const { reason, lines } = crashExcerpt(output)!;
    const shown = [
      redact(`exited: ${reason}`),
      redact(`exited: ${reason}, and the disk is full`),
      ...lines.map(redact),
    ];
    expect(shown).toHaveLength(4);
    for (const each of shown) expect(each).not.toContain(secret.slice(0, 8));
  });

  it('handles hostile output in linear time', () => {
    const hostile = [
      'a'.repeat(16_000),
      ' '.repeat(16_000),
      `${'x:1:'.repeat(4000)}in`,
      'error '.repeat(2600),
      `** (A${'a'.repeat(16_000)}`,
      'ELIFECYCLE '.repeat(1400),
      `a:1:in b: ${' (A'.repeat(5400)}`,
      `thread 'a' panicked at ${':1'.repeat(8000)}`,
      `WARNING: Retrying ${"after connection broken by 'E(".repeat(500)}`,
      'a (from versions: none)',
    ];
    const began = performance.now();
    crashExcerpt(Array.from({ length: 400 }, (_, i) => hostile[i % hostile.length]!));
    expect(performance.now() - began).toBeLessThan(2000);
  });
});
