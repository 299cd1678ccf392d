import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { substitute, TemplateError } from './template.ts';

const variables: Record<string, string> = { P: 'pv', E: '' };
const lookup = (name: string) => (Object.hasOwn(variables, name) ? variables[name] : undefined);

const outcome = (text: string) => {
  try {
    return substitute(text, lookup);
  } catch (error) {
    if (error instanceof TemplateError) return `refused: ${error.message}`;
    throw error;
  }
};

describe('variable substitution', () => {
  // Results of Docker Compose 2.40 with P=pv and an empty E.
  it.each([
    ['echo $1', 'echo $1'],
    ['a$', 'a$'],
    ['$-', '$-'],
    ['$é', '$é'],
    ['$P$P', 'pvpv'],
    ['$Px', ''],
    ['${P}x', 'pvx'],
    ['${A-b}', 'b'],
    ['${A:-${B:-c}}', 'c'],
    ['${A:-a}b}', 'ab}'],
    ['${A:-{}}', '{}'],
    ['${A:-a:b?c}', 'a:b?c'],
    ['${A:-a$}', 'a$'],
    ['${A:-$$x}', '$x'],
    ['${P+${P}y}', 'pvy'],
    ['${A:+x}', ''],
    ['${E:-d}', 'd'],
    ['${E-d}', ''],
    ['${E:+d}', ''],
    ['${E+d}', 'd'],
    ['${P:?no}', 'pv'],
    ['$$A', '$A'],
    ['$$$$', '$$'],
    ['$${A}', '${A}'],
  ])('%s is %s', (text, result) => expect(outcome(text)).toBe(result));

  it.each(['${}', '${VAR', '${1A}', '${P!x}', '${ P }', '${P }', '${A:=x}', '${A.b}', '${A:-${'])(
    'rejects %s',
    (text) => expect(outcome(text)).toMatch(/^refused: not a valid variable/),
  );

  it('reports required variables', () => {
    expect(outcome('${A:?need ${P}}')).toBe('refused: the variable A is required and has no value: need pv');
    expect(outcome('${E:?}')).toBe('refused: the variable E is required and has no value');
    expect(outcome('${E?}')).toBe('');
  });

  it('reports only unset variables', () => {
    const unset: string[] = [];
    substitute('$A ${B} ${C:-x} ${P} $$D ${F-}', lookup, (name) => void unset.push(name));
    expect(unset).toEqual(['A', 'B']);
  });

  it('keeps text with doubled dollar signs', () => {
    fc.assert(fc.property(fc.string(), (text) => substitute(text.replaceAll('$', '$$$$'), lookup) === text));
  });

  it('never hangs or crashes', () => {
    const pieces = fc.constantFrom('$', '{', '}', ':-', '?', '+', 'A', 'P', '${', '$$', ' ');
    fc.assert(fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => typeof outcome(parts.join('')) === 'string'));
    expect(outcome(`${'${A:-'.repeat(5000)}${'}'.repeat(5000)}`)).toContain('nested too deeply');
    expect(outcome('${'.repeat(100_000))).toContain('not a valid variable');
  });

  it('does not substitute inside values', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(substitute('a${V}b', () => value)).toBe(`a${value}b`);
        expect(substitute('${V:-x}', () => value)).toBe(value || 'x');
      }),
    );
  });
});
