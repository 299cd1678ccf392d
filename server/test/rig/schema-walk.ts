import * as fc from 'fast-check';
import { z } from '../../src/lib/zod/index.ts';
import { oddAnything, oddNumber, oddText } from './odd-input.ts';

export type JsonSchema = {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
};

/** The input schema as JSON. */
export const schemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema;

/** Values that almost fit a schema: the right shape with odd contents, and occasionally the wrong shape. */
export function almost(schema: JsonSchema, root: JsonSchema = schema, ids: string[] = []): fc.Arbitrary<unknown> {
  const of = (inner: JsonSchema) => almost(inner, root, ids);
  const wild = (fitting: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: oddAnything });
  if (schema.$ref) return of(resolve(schema, root));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return wild(fc.oneof(...choices.map(of)));
  if ('const' in schema) return wild(fc.constant(schema.const));
  if (schema.enum) return wild(fc.constantFrom(...schema.enum));
  if (schema.type === 'array') return wild(fc.array(of(schema.items ?? {}), { maxLength: 3 }));
  if (schema.type === 'object') return wild(almostObject(schema, of));
  if (schema.type === 'boolean') return wild(fc.boolean());
  if (schema.type === 'number' || schema.type === 'integer') return wild(fc.oneof(fc.nat(70_000), oddNumber));
  if (schema.type === 'string') return wild(ids.length ? fc.oneof(oddText, fc.constantFrom(...ids)) : oddText);
  return oddAnything;
}

function almostObject(schema: JsonSchema, of: (inner: JsonSchema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const named = fc.record(
    Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, of(inner)])),
    { requiredKeys: schema.required ?? [] },
  );
  const { additionalProperties: more } = schema;
  if (typeof more !== 'object') return named;
  return fc.tuple(named, fc.dictionary(oddText, of(more), { maxKeys: 4 })).map(([a, b]) => ({ ...a, ...b }));
}

export const resolve = (schema: JsonSchema, root: JsonSchema): JsonSchema =>
  schema.$ref ? root.$defs![schema.$ref.split('/').at(-1)!]! : schema;

/** A string in a body: its path, its siblings, and the other strings that it requires. */
export type TextField = { path: string[]; around: Record<string, unknown>; needs: string[][]; isName: boolean };

/** Every string that a schema accepts, including those in lists, records and alternatives. */
export function textFields(schema: JsonSchema, root: JsonSchema = schema, path: string[] = []): TextField[] {
  const { $ref, anyOf, oneOf, type, properties = {}, items, additionalProperties: more } = schema;
  if ($ref) return textFields(resolve(schema, root), root, path);
  const choices = anyOf ?? oneOf;
  if (choices) return choices.flatMap((each) => textFields(each, root, path));
  if (type === 'string' && !schema.enum && !('const' in schema))
    return [{ path, around: {}, needs: [], isName: false }];
  if (type === 'array' && items) return textFields(items, root, [...path, '0']);
  if (type !== 'object') return [];
  const fixed = Object.entries(properties).filter(([, inner]) => 'const' in inner);
  const around = fixed.length
    ? placed({}, path, Object.fromEntries(fixed.map(([name, { const: is }]) => [name, is])))
    : {};
  const inner = Object.entries(properties).flatMap(([name, each]) => textFields(each, root, [...path, name]));
  const named = typeof more === 'object' ? [...textFields(more, root, [...path, 'KEY']), nameIn(path)] : [];
  const needed = (schema.required ?? [])
    .filter((name) => !('const' in properties[name]!))
    .map((name) => [...path, name]);
  return [...inner, ...named].map((field) => ({
    ...field,
    around: merged(around, field.around),
    needs: [...needed, ...field.needs].filter((each) => each.join() !== field.path.join()),
  }));
}

const nameIn = (path: string[]): TextField => ({ path, around: {}, needs: [], isName: true });

/** A body with `value` in that field, and its requirements from `samples`, by path. */
export function withText(
  samples: Record<string, unknown>,
  { path, around, needs, isName }: TextField,
  value: string,
): Record<string, unknown> {
  const whole = needs.reduce((body, need) => placed(body, need, samples[need.join('.')]), around);
  return isName ? placed(whole, path, { [value]: 'x' }) : placed(whole, path, value);
}

function placed(body: Record<string, unknown>, [name, ...rest]: string[], value: unknown): Record<string, unknown> {
  if (name === undefined) return value as Record<string, unknown>;
  const before = body[name];
  if (!rest.length) return { ...body, [name]: isObject(value) && isObject(before) ? { ...before, ...value } : value };
  const inner = (rest[0] === '0' ? [] : {}) as Record<string, unknown>;
  if (Array.isArray(before) || rest[0] === '0')
    return { ...body, [name]: [placed({ 0: (before as unknown[] | undefined)?.[0] ?? {} }, rest, value)['0']] };
  return { ...body, [name]: placed(isObject(before) ? before : inner, rest, value) };
}

function merged(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const all = { ...a };
  for (const [name, value] of Object.entries(b))
    all[name] = isObject(value) && isObject(all[name]) ? merged(all[name], value) : value;
  return all;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of a response. */
export const at = (value: unknown, path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown> | null | undefined)?.[name], value);
