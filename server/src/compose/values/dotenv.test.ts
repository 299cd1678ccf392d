import { describe, expect, it } from 'vitest';
import { ComposeError } from '../problems.ts';
import { dotenv, rawEnv } from './dotenv.ts';

const given = (name: string) => (name === 'P' ? 'pv' : undefined);
const read = (text: string) => {
  try {
    return Object.fromEntries(dotenv(text, '.env', given));
  } catch (error) {
    if (error instanceof ComposeError) return error.message;
    throw error;
  }
};

describe('.env files', () => {
  // Results of Docker Compose 2.40 with P=pv.
  it.each([
    [
      'A=1\nB = 2 \nexport C=3\n  D=4 # c\nE=a#b\nF="x # y" # z\nG=\n#c\nH\nP\n',
      { A: '1', B: '2', C: '3', D: '4', E: 'a#b', F: 'x # y', G: '', P: 'pv' },
    ],
    ['A="a\\nb\\tc\\"d\\\\e$P"', { A: 'a\nb\tc"d\\epv' }],
    ["B='a\\n$P'\nC=a\\nb\\$P", { B: 'a\\n$P', C: 'a\\nb\\pv' }],
    ['D="l1\nl2"\nE=\'m1\nm2\'\nF=1', { D: 'l1\nl2', E: 'm1\nm2', F: '1' }],
    ['A: yaml\nB:x\nC=a:b', { A: 'yaml', B: 'x', C: 'a:b' }],
    ['A=$P\nB=${P}x\nC=${Z:-q}\nD=$A-$B\nE=$$x', { A: 'pv', B: 'pvx', C: 'q', D: 'pv-pvx', E: '$x' }],
    ['1A=1\nA-B=1\nA.C=2\nA[0]=1', { '1A': '1', 'A-B': '1', 'A.C': '2', 'A[0]': '1' }],
    ['A=1\r\nB="2"\r\n', { A: '1', B: '2' }],
    ['A="x"y\nB=\'x\' y', { A: 'x', B: 'x' }],
    ['A=a b  c\nB="" \nC= "q"\nD=q"r"', { A: 'a b  c', B: '', C: 'q', D: 'q"r"' }],
    ['export A\nexportB=1\nexport  C=2', { exportB: '1', C: '2' }],
    ['A==x\nB=$\nC="$5"', { A: '=x', B: '$', C: '$5' }],
    ['A="a\\$P b"\nB="\\a\\b\\x"', { A: 'a$P b', B: '\x07\b\\x' }],
    ['A="a\\\\nb"\nB="a\\\\$P"', { A: 'a\\nb', B: 'a\\pv' }],
    ['A=1\nA=2\nB=$A', { A: '2', B: '2' }],
    ['\uFEFFA=1', { A: '1' }],
    ['A={"a": "b"}\nB=[1,2] #x', { A: '{"a": "b"}', B: '[1,2]' }],
    ['A=\tx\t#y\nB=#x\nC= #x', { A: 'x\t#y', B: '#x', C: '#x' }],
  ])('read %j', (text, values) => expect(read(text)).toEqual(values));

  it.each([
    ['X=1\nA="unterminated\nB=1', '.env:2: an unclosed quote'],
    ['A B=1', '.env:1: the name of a variable cannot contain a space'],
    ['X="a\nb"\nB+C=2', '.env:3: not the name of a variable: B+C'],
    ["A'=1", ".env:1: not the name of a variable: A'"],
    ['=x', '.env:1: a variable without a name'],
    ['A=${Q:?boom}', '.env:1: the variable Q is required and has no value: boom'],
    ['A=\0', '.env: not UTF-8 text'],
    ['x'.repeat(600_000), '.env: larger than 512 KB'],
  ])('reject %.20j', (text, message) => expect(read(text)).toBe(message));

  it('in raw format keep values as they are', () => {
    expect(Object.fromEntries(rawEnv('# c\nA="1" # x\nB=$P\nP\nQ\n', 'x.env', given))).toEqual({
      A: '"1" # x',
      B: '$P',
      P: 'pv',
    });
  });

  it('are parsed in linear time', () => {
    const began = performance.now();
    expect(read(`A=''`.repeat(130_000))).toEqual({ A: '' });
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it('keep __proto__ as a plain name', () => {
    expect([...dotenv('__proto__=1\nconstructor=2', '.env', given).keys()]).toEqual(['__proto__', 'constructor']);
  });
});
