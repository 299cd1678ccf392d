import * as zod from 'zod';

// Zod, with schemas that are made at their first use: making all of them took a sixth of a start, and most are never
// used. Until then, a schema is a proxy that only remembers how it is made. Settings, which every start reads, use Zod
// directly.

type Schema = Record<PropertyKey, unknown>;
type Lazy = { make: (() => Schema) | undefined; schema: Schema | undefined };

/** Property of a proxy that leads to what is behind it. */
const behind = Symbol('behind');

/** Methods that return another schema, which can be made later, too. */
const deriving = new Set<PropertyKey>(
  `and array catch catchall default describe endsWith extend includes int keyof length loose max meta min nonnegative
  nullable nullish omit optional or overwrite partial pick pipe positive prefault refine regex required safeExtend
  startsWith superRefine toLowerCase transform trim unwrap`.split(/\s+/),
);

const handler: ProxyHandler<Lazy> = {
  get(lazy, key) {
    if (key === behind) return lazy;
    if (!deriving.has(key)) return schemaOf(lazy)[key];
    // Without an argument, `meta` only reads.
    return (...given: unknown[]) =>
      key === 'meta' && !given.length
        ? call(schemaOf(lazy), key, given)
        : lazily(() => call(schemaOf(lazy), key, given));
  },
  has: (lazy, key) => key in schemaOf(lazy),
  getPrototypeOf: (lazy) => Object.getPrototypeOf(schemaOf(lazy)) as object,
};

const lazily = (make: () => Schema): Schema => new Proxy<Lazy>({ make, schema: undefined }, handler) as never;

function schemaOf(lazy: Lazy): Schema {
  if (lazy.make) {
    lazy.schema = lazy.make();
    lazy.make = undefined;
  }
  return lazy.schema!;
}

const call = (schema: Schema, key: PropertyKey, given: unknown[]): Schema =>
  (schema[key] as (...given: unknown[]) => Schema)(...given.map(made));

/** Makes a schema, and those in a list or shape. */
function made<T>(value: T): T;
function made(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const lazy = (value as { [behind]?: Lazy })[behind];
  if (lazy) return schemaOf(lazy);
  if (Array.isArray(value)) return value.map(made);
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  const copy = {};
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    // A recursive schema names itself in a getter.
    const changed = property.get
      ? { get: () => made((value as Schema)[key]) }
      : { value: made(property.value as unknown) };
    Object.defineProperty(copy, key, { ...property, ...changed });
  }
  return copy;
}

const lazy = <F extends (...given: never[]) => unknown>(make: F): F =>
  ((...given: never[]) => lazily(() => make(...given.map(made)) as Schema)) as never;

const lazyEnum = lazy(zod.enum);
const lazyNull = lazy(zod.null);

export * from 'zod';
export const array = lazy(zod.array);
export const boolean = lazy(zod.boolean);
export const discriminatedUnion = lazy(zod.discriminatedUnion);
export const email = lazy(zod.email);
export { lazyEnum as enum };
export const literal = lazy(zod.literal);
export const looseObject = lazy(zod.looseObject);
export { lazyNull as null };
export const coerce = { ...zod.coerce, number: lazy(zod.coerce.number) };
export const custom = lazy(zod.custom);
export const number = lazy(zod.number);
export const object = lazy(zod.object);
export const preprocess = lazy(zod.preprocess);
export const record = lazy(zod.record);
export const string = lazy(zod.string);
export const tuple = lazy(zod.tuple);
export const union = lazy(zod.union);
export const unknown = lazy(zod.unknown);
export const url = lazy(zod.url);

export const safeParse: typeof zod.safeParse = (schema, ...rest) => zod.safeParse(made(schema), ...rest);
export const toJSONSchema = ((schema: unknown, ...rest: never[]) =>
  zod.toJSONSchema(made(schema) as never, ...rest)) as typeof zod.toJSONSchema;
