import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zod from 'zod';
import { expect, expectTypeOf, test, vi } from 'vitest';
import { z } from './index.ts';

const Leaf = z.object({ name: z.string().min(1).describe('Its name.'), size: z.number().optional() });
const Tree = z.object({
  leaf: Leaf.extend({ colour: z.enum(['red', 'green']).default('green') }),
  get branches() {
    return z.array(Tree).optional();
  },
});
const tree = { leaf: { name: 'a' }, branches: [{ leaf: { name: 'b', size: 1 } }] };

test('schemas parse as those of the library', () => {
  expect(Tree.parse(tree)).toEqual({
    leaf: { name: 'a', colour: 'green' },
    branches: [{ leaf: { name: 'b', size: 1, colour: 'green' } }],
  });
  expect(z.safeParse(Tree, { leaf: { name: '' } }).error?.issues[0]?.path).toEqual(['leaf', 'name']);
  expectTypeOf<z.output<typeof Tree>['leaf']['colour']>().toEqualTypeOf<'red' | 'green'>();
  expect(Leaf).toBeInstanceOf(zod.ZodObject);
  expect(z.union([z.literal('x'), z.null()]).parse(null)).toBeNull();
  expect(z.tuple([z.string(), z.coerce.number().int()]).parse(['a', '2'])).toEqual(['a', 2]);
});

test('they contain only schemas of the library, and keep their descriptions', () => {
  const written = z.toJSONSchema(Leaf.describe('A leaf.'));
  const name = zod.string().min(1).describe('Its name.');
  expect(written).toEqual(zod.toJSONSchema(zod.object({ name, size: zod.number().optional() }).describe('A leaf.')));
  expect(JSON.stringify(z.toJSONSchema(Tree, { io: 'input' }))).toContain('"branches"');
});

test('nothing is made before the first use, and then once', () => {
  const read = vi.fn(() => z.string());
  const Later = z
    .object({
      get part() {
        return read();
      },
    })
    .describe('Made later.')
    .or(z.null());
  expect(read).not.toHaveBeenCalled();
  Later.parse({ part: 'a' });
  const { length } = read.mock.calls;
  expect(length).toBeGreaterThan(0);
  Later.parse({ part: 'b' });
  expect(read).toHaveBeenCalledTimes(length);
});

/** These contain no other schema, and are made at once. */
const plain = ['int', 'instanceof', 'stringbool'];

test('the source uses no kind of schema that could contain one to be made', () => {
  const source = join(import.meta.dirname, '../..');
  const kinds = Object.entries(zod.z).filter(([, kind]) => typeof kind === 'function');
  const ours = new Map<string, unknown>(Object.entries(z));
  const notLazy = kinds.filter(([name, kind]) => ours.get(name) === kind).map(([name]) => name);
  const used = globSync('**/*.ts', { cwd: source, exclude: ['**/*.test.ts', 'setting*.ts', 'lib/zod/*'] })
    .flatMap((file) => [...readFileSync(join(source, file), 'utf8').matchAll(/\bz\.(\w+)\(/g)])
    .map(([, name]) => name!);
  expect(used.length).toBeGreaterThan(1000);
  expect([...new Set(used)].filter((name) => notLazy.includes(name) && !plain.includes(name))).toEqual([]);
});

test('metadata can be read', () => {
  const Named = z.string().meta({ title: 'A name' });
  expect(Named.meta()).toEqual({ title: 'A name' });
});
