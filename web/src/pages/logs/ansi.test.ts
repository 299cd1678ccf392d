import { describe, expect, it } from 'vitest';
import { plainText, spansOf } from './ansi.ts';

const esc = '\u001b';
const textsOf = (line: string) => spansOf(line).map(({ text }) => text);
const styleAt = (line: string, index = 0) => spansOf(line)[index]?.style;

describe('spansOf', () => {
  it('turns colours, weights and resets into spans', () => {
    const spans = spansOf(`plain ${esc}[1;31mbold red${esc}[22m red${esc}[0m after`);
    expect(spans.map(({ text }) => text)).toEqual(['plain ', 'bold red', ' red', ' after']);
    expect(spans.map(({ style }) => style?.fontWeight)).toEqual([undefined, 700, undefined, undefined]);
    expect(spans.map(({ style }) => style?.color?.includes('rgb(205 49 49)'))).toEqual([
      undefined,
      true,
      true,
      undefined,
    ]);
  });

  it('supports bright colours, 256 colours and true colours', () => {
    expect(styleAt(`${esc}[92mx`)?.color).toContain('rgb(35 190 120)');
    expect(styleAt(`${esc}[38;5;208mx`)?.color).toContain('rgb(255 135 0)');
    expect(styleAt(`${esc}[38;5;244mx`)?.color).toContain('rgb(128 128 128)');
    expect(styleAt(`${esc}[38;2;1;2;300mx`)?.color).toContain('rgb(1 2 255)');
    expect(styleAt(`${esc}[38;5;208;4mx`)).toMatchObject({ textDecoration: 'underline' });
  });

  it('keeps text readable on a background', () => {
    expect(styleAt(`${esc}[30;42mPASS`)).toEqual({ color: 'rgb(0 0 0)', backgroundColor: 'rgb(13 160 100)' });
    expect(styleAt(`${esc}[41mx`)?.color).toBe('rgb(238 243 245)');
    expect(styleAt(`${esc}[7;31mx`)?.backgroundColor).toBe('rgb(205 49 49)');
  });

  it('leaves markup as text and drops links, titles and cursor movements', () => {
    expect(textsOf('<img src=x onerror=alert(1)>')).toEqual(['<img src=x onerror=alert(1)>']);
    expect(textsOf(`${esc}]8;;https://example.org\u0007link${esc}]8;;\u0007`)).toEqual(['link']);
    expect(textsOf(`${esc}[2K${esc}[1Gdone${esc}[?25h`)).toEqual(['done']);
    expect(textsOf(`${esc}[31`)).toEqual([]);
  });

  it('ignores invalid parameters', () => {
    for (const odd of ['38', '38;5', '38;2;1', '48;9', '999', '<1', ';;;', '38;5;999'])
      expect(textsOf(`${esc}[${odd}mx`)).toEqual(['x']);
  });
});

describe('plainText', () => {
  it('removes colour codes, links, titles, control characters and overwritten text', () => {
    expect(plainText('\u001b[1;31mred\u001b[0m \u001b[38;5;12mblue')).toBe('red blue');
    expect(plainText('\u001b]8;;https://example.org\u0007link\u001b]8;;\u0007')).toBe('link');
    expect(plainText('10%\r50%\r100%\r')).toBe('100%');
    expect(plainText('\tin\u0000side\u202e')).toBe('    in side');
  });

  it('equals the text of the spans', () => {
    for (const line of [
      `a${esc}[1mb${esc}[0m  `,
      `\t${esc}[31m x ${esc}[0m`,
      'ü\u0007\u200dz',
      `${esc}[31m  ${esc}[0m`,
    ])
      expect(textsOf(line).join('')).toBe(plainText(line));
  });
});
