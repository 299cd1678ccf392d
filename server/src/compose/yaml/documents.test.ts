import { describe, expect, it } from 'vitest';
import { ComposeError } from '../problems.ts';
import { yamlDocuments } from './documents.ts';
import type { Node } from './nodes.ts';

const origin = { file: 'compose.yaml', folder: '' };
const read = (text: string) => yamlDocuments(text, origin);

const plain = (node: Node): unknown =>
  node.kind === 'dict'
    ? Object.fromEntries([...node.entries].map(([key, entry]) => [key, plain(entry.node)]))
    : node.kind === 'list'
      ? node.items.map(plain)
      : node.value;
const value = (text: string) => plain(read(text)[0]!);

const refusal = (text: string) => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ComposeError) return error.message;
    throw error;
  }
  return 'read';
};

describe('YAML', () => {
  it('has the types of Docker Compose', () => {
    const text = `a: 010\nb: 0o10\nc: 1_000\nd: yes\ne: 1e3\nf: 0b11\ng: ~\nh: Null\ni: TRUE\nj: 12345678901234567890
k: -0x1F\nl: +5\nm: 08\nn: .5\no: "010"\np: !!str 010\nq: 1:30\nr: 2020-01-01\ns:\nt: '='`;
    expect(value(text)).toEqual({
      a: 8,
      b: 8,
      c: 1000,
      d: 'yes',
      e: 1000,
      f: 3,
      g: null,
      h: null,
      i: true,
      j: '12345678901234567890',
      k: -31,
      l: 5,
      m: 8,
      n: 0.5,
      o: '010',
      p: '010',
      q: '1:30',
      r: '2020-01-01',
      s: null,
      t: '=',
    });
  });

  it('resolves aliases and merges', () => {
    expect(value('a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: [*a, *b]\n  x: 0\nd: *a')).toEqual({
      a: { x: 1, y: 2 },
      b: { y: 3, z: 4 },
      c: { x: 0, y: 2, z: 4 },
      d: { x: 1, y: 2 },
    });
    // An anchor on its own line, with a comment.
    expect(value('x:\n  &x # shared\n  # more\n  K: "v"\n\n  L: 2\nc:\n  <<: *x # again\n')).toMatchObject({
      c: { K: 'v', L: 2 },
    });
    expect(value('a:\n  "<<": {b: 1}')).toEqual({ a: { '<<': { b: 1 } } });
  });

  it('keeps the lines of keys and values', () => {
    const [node] = read('# one\nservices:\n  web:\n    ports:\n      - "80"\n      - "81"\n');
    if (node?.kind !== 'dict') throw new Error('no dict');
    const services = node.entries.get('services')!;
    expect(services.line).toBe(2);
    const web = services.node.kind === 'dict' ? services.node.entries.get('web')! : undefined;
    const ports = web?.node.kind === 'dict' ? web.node.entries.get('ports')! : undefined;
    expect([web?.line, ports?.line]).toEqual([3, 4]);
    expect(ports?.node.kind === 'list' && ports.node.items.map(({ line }) => line)).toEqual([5, 6]);
  });

  it('reads several documents, and none of an empty file', () => {
    expect(read('a: 1\n---\nb: 2\n').map(plain)).toEqual([{ a: 1 }, { b: 2 }]);
    expect(read('')).toEqual([]);
    expect(read('# only words\n')).toEqual([]);
  });

  it.each([
    ['a: 1\nb: 2\na: 3', 'compose.yaml:3: a: the key appears twice'],
    ['a:\n  <<: {b: 1}\n  <<: {c: 1}', 'compose.yaml:3: <<: the key appears twice'],
    ['a: *none', 'compose.yaml:1: *none: there is no such anchor before it'],
    ['a: &a\n  b: *a', 'compose.yaml:2: *a refers to itself'],
    ['a:\n  <<: 5', 'compose.yaml:2: <<: only mappings can be merged'],
    ['a: !!binary aGk=', 'compose.yaml:1: tag:yaml.org,2002:binary: only the tags !reset'],
    ['a: !include x', 'compose.yaml:1: !include: only the tags !reset'],
    ['? [a, b]\n: 1', 'compose.yaml:1: a key must be a string'],
    ['a: [1, 2', 'compose.yaml:1: not valid YAML'],
    ['a:\n\tb: 1', 'compose.yaml:2: not valid YAML'],
    ['a: 1\nb: "\0"', 'compose.yaml:2: a control character'],
    ['a: \uFFFD', 'compose.yaml:1: not UTF-8 text'],
  ])('rejects %j', (text, message) => expect(refusal(text)).toContain(message));

  it('keeps __proto__ as a plain name', () => {
    const [node] = read('__proto__: {polluted: 1}\nconstructor: 2');
    expect(node?.kind === 'dict' && [...node.entries.keys()]).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('hostile YAML is rejected fast', () => {
  const bomb = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 12; i++) bomb.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(', ')}]`);
  const texts: Record<string, string> = {
    'an alias bomb': bomb.join('\n'),
    'a merge bomb': `a0: &a0 {${Array.from({ length: 300 }, (_, i) => `k${i}: 1`).join(', ')}}\n${Array.from({ length: 400 }, (_, i) => `b${i}: {<<: *a0}`).join('\n')}`,
    'deep lists': '['.repeat(200_000),
    'deep blocks': Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
    'deep dashes': `${'- '.repeat(100_000)}x`,
    'deep maps': '{a: '.repeat(100_000),
    'many keys': Array.from({ length: 60_000 }, (_, i) => `k${i}: 1`).join('\n'),
    'many documents': '---\n'.repeat(50_000),
    'many anchors': Array.from({ length: 20_000 }, (_, i) => `- &a${i} *a${i - 1}`).join('\n'),
    'a large file': `a: ${'x'.repeat(600_000)}`,
    'a long text in quotes': `a: "${'\\x41'.repeat(100_000)}`,
    'a long text of spaces': `a:${' '.repeat(500_000)}b: c`,
    'many colons': ': '.repeat(200_000),
    'many question marks': '? '.repeat(200_000),
    'many tags': '!a '.repeat(150_000),
    'many aliases': `a: &a 1\nb: [${'*a,'.repeat(160_000)}]`,
    'random bytes': Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 256)).toString('utf8'),
  };
  it.each(Object.keys(texts))('%s', (name) => {
    const began = performance.now();
    expect(refusal(texts[name]!)).toMatch(/^compose\.yaml(:\d+)?: /);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
