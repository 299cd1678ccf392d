import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickVersion, type VersionLine } from './version-range.ts';

const node: VersionLine = {
  language: 'Node.js',
  known: ['24', '22', '20', '18'],
  preferred: '22',
  aliases: { 'lts/iron': '20' },
};
const python: VersionLine = { language: 'Python', known: ['3.13', '3.12', '3.11', '3.10'], preferred: '3.13' };
const php: VersionLine = { language: 'PHP', known: ['8.4', '8.3', '8.2'], preferred: '8.4', pessimisticTilde: true };

describe('versions', () => {
  it.each([
    ['22', '22'],
    ['v20.11.1', '20.11.1'],
    ['lts/iron', '20'],
    ['>=18', '22'],
    ['>=22.13.0', '22'],
    ['>=18 <22', '20'],
    ['18.x || 20.x', '20'],
    ['^20.9.0 || >=22', '22'],
    ['>22', '24'],
    ['<=20', '20'],
    ['20 - 22', '22'],
    ['~20.1.0', '20.1'],
    ['^16.0.0', '16.0'],
    ['16.x', '16'],
    ['>=18.0.0 <=22.x.x', '22'],
    ['!=22, >=20', '24'],
  ])('Node.js %s is %s', (wanted, version) => expect(pickVersion(wanted, node)).toBe(version));

  it.each([
    ['>=3.11,<3.13', '3.12'],
    ['==3.12.*', '3.12'],
    ['~=3.10', '3.13'],
    ['~=3.10.2', '3.10'],
    ['^3.11', '3.13'],
    ['<3.12', '3.11'],
    ['3.12.4', '3.12.4'],
  ])('Python %s is %s', (wanted, version) => expect(pickVersion(wanted, python)).toBe(version));

  it.each([
    ['~8.2', '8.4'],
    ['~8.2.0', '8.2'],
    ['^8.2|^8.3', '8.4'],
    ['8.3.*', '8.3'],
    ['>=8.2 <8.4', '8.3'],
  ])('PHP %s is %s', (wanted, version) => expect(pickVersion(wanted, php)).toBe(version));

  it.each(['', 'latest', 'lts/none', '*', 'x', 'node', '$(id)', 'constructor', '__proto__'])(
    '%j gives no version',
    (wanted) => expect(pickVersion(wanted, node)).toBeUndefined(),
  );

  it('contain only digits and dots', () => {
    const parts = fc.constantFrom(
      '1',
      '22',
      '.',
      ' ',
      '>=',
      '~>',
      '^',
      '||',
      '-',
      'x',
      '*',
      ',',
      ';',
      '$(id)',
      '\n',
      'v',
    );
    const ranges = fc.oneof(
      fc.string(),
      fc.array(parts).map((each) => each.join('')),
    );
    fc.assert(
      fc.property(ranges, (range) => {
        expect(pickVersion(range, node) ?? '1').toMatch(/^\d{1,4}(\.\d{1,4}){0,2}$/);
      }),
    );
  });
});
