import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../errors.ts';
import { memoryTree } from '../detect/memory-tree.ts';
import { mistakesOf } from './compose-rig.ts';
import { parseCompose } from './index.ts';
import { projectEscapes } from './escapes/index.ts';
import { serviceFields } from './verdicts/service-fields.ts';

/** Parses any input; only a result or a user-facing error is allowed. */
async function attempt(files: Record<string, string>): Promise<string> {
  try {
    const project = await parseCompose(memoryTree(files));
    JSON.stringify([project, projectEscapes(project)]);
    return 'read';
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const large: Record<string, string> = {
  'many services': `services:\n${Array.from({ length: 300 }, (_, i) => `  s${i}: {image: x}`).join('\n')}`,
  'many ports': `services:\n  a:\n    image: x\n    ports:\n${Array.from({ length: 20_000 }, (_, i) => `      - "${i + 1}"`).join('\n')}`,
  'very many ranges of ports': `services:\n  a:\n    image: x\n    ports: [${'"1-1000", '.repeat(20_000)}"1"]`,
  'wide ranges of ports': `services:\n  a:\n    image: x\n    ports: [${Array.from({ length: 60 }, (_, i) => `"${i * 1000 + 1}-${i * 1000 + 900}"`).join(', ')}]`,
  'many mistakes': `services:\n  a:\n    image: x\n    ports:\n${'      - bad\n'.repeat(20_000)}`,
  'a long command': `services: {a: {image: x, command: '${'"a" '.repeat(60_000)}'}}`,
  'a long text with variables': `services: {a: {image: '${'${A:-b}'.repeat(50_000)}'}}`,
  'services that extend one another': `services:\n${Array.from({ length: 190 }, (_, i) => `  s${i}: {extends: s${(i * 7 + 1) % 190}, image: x}`).join('\n')}`,
  'services that extend a large one': `services:\n  a:\n    image: x\n    ports:\n${Array.from({ length: 10_000 }, (_, i) => `      - "${i + 1}"`).join('\n')}\n${Array.from({ length: 190 }, (_, i) => `  s${i}: {extends: a, ports: ["1"]}`).join('\n')}`,
  'aliases all over': `x: &x {environment: {${Array.from({ length: 100 }, (_, i) => `A${i}: b`).join(', ')}}}\nservices:\n${Array.from({ length: 199 }, (_, i) => `  s${i}: {<<: *x, image: x}`).join('\n')}`,
  'services that all depend on each other': `services:\n${Array.from({ length: 150 }, (_, i) => `  s${i}: {image: x, depends_on: [${Array.from({ length: i }, (_, j) => `s${j}`).join(', ')}]}`).join('\n')}`,
};

describe('hostile compose files', () => {
  it.each(Object.keys(large))('do not block the parser: %s', async (name) => {
    const began = performance.now();
    expect(await attempt({ 'compose.yaml': large[name]! })).toBeTypeOf('string');
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  const doubled = Array.from({ length: 60 }, (_, i) => `V${i + 1}=$V${i}$V${i}`).join('\n');
  it.each<[string, Record<string, string>]>([
    ['in .env', { '.env': `V0=${'x'.repeat(100)}\n${doubled}`, 'compose.yaml': 'services: {a: {image: x}}' }],
    [
      'in a file of a service',
      { 'a.env': `V0=xx\n${doubled}`, 'compose.yaml': 'services: {a: {image: x, env_file: a.env}}' },
    ],
    [
      'in one text',
      { '.env': `A=${'x'.repeat(100_000)}`, 'compose.yaml': `services: {a: {image: "${'$A'.repeat(50_000)}"}}` },
    ],
    [
      'in many texts',
      {
        '.env': `A=${'x'.repeat(100_000)}`,
        'compose.yaml': `services: {a: {image: x, command: [${'"$A",'.repeat(20_000)}]}}`,
      },
    ],
    [
      'in what is included',
      {
        'compose.yaml': 'include: [sub/b.yaml]',
        'sub/.env': `A=${'x'.repeat(100_000)}`,
        'sub/b.yaml': `services: {a: {image: x, command: [${'"$A",'.repeat(20_000)}]}}`,
      },
    ],
    [
      'by name',
      {
        '.env': `A=${'x'.repeat(100_000)}`,
        'compose.yaml': `services: {a: {image: x, build: {args: [${'A,'.repeat(200)}A]}, command: [${'"$A",'.repeat(200)}]}}`,
      },
    ],
  ])('do not grow by variables: %s', async (_, files) => {
    const began = performance.now();
    expect(await attempt(files)).toMatch(/longer than|more than|too large/);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it('do not grow by extends', async () => {
    expect(await attempt({ 'compose.yaml': large['services that extend a large one']! })).toContain(
      'more than 100000 values',
    );
  });

  it('report a limited number of errors', async () => {
    expect((await mistakesOf(large['many mistakes']!)).length).toBeLessThanOrEqual(100);
  });

  it('have long values cut in messages', async () => {
    const long = 'x'.repeat(100_000);
    const text = `services:\n  a:\n    image: x\n    ports: ["${long}"]\n    restart: ${long}\n    ${long}: 1\n    mem_limit: ${long}\n    environment: {"a=${long}": 1}\n    volumes: ["${long}:${long}:x:y"]\n    networks: ["${long}"]\n    depends_on: ["${long}"]`;
    for (const line of await mistakesOf(text)) expect(line.length).toBeLessThan(500);
  });

  it('with any values in any field are parsed or rejected', async () => {
    const field = fc.constantFrom(...Object.keys(serviceFields).filter((path) => !/[.[*]/.test(path)));
    const service = fc.dictionary(
      fc.oneof(field, fc.constantFrom('__proto__', 'x-a', '')),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 6 },
    );
    await fc.assert(
      fc.asyncProperty(service, async (a) => {
        // JSON is valid YAML.
        const text = JSON.stringify({ services: { a: Object.fromEntries(Object.entries({ image: 'x', ...a })) } });
        expect(await attempt({ 'compose.yaml': text })).toBeTypeOf('string');
      }),
      { numRuns: 500 },
    );
  });

  it('with any text in any file are parsed or rejected', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({
        unit: fc.constantFrom(
          'a',
          ':',
          ' ',
          '\n',
          '-',
          '{',
          '}',
          '[',
          ']',
          '&',
          '*',
          '<',
          '!',
          '"',
          "'",
          '$',
          '#',
          '|',
          '>',
          '\t',
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, text, async (one, two) => {
        const main = `services:\n  a: {image: x, env_file: a.env}\ninclude: [b.yaml]\n`;
        expect(await attempt({ 'compose.yaml': one, '.env': two })).toBeTypeOf('string');
        expect(await attempt({ 'compose.yaml': main, 'a.env': one, 'b.yaml': two })).toBeTypeOf('string');
      }),
      { numRuns: 300 },
    );
  });
});
