import { z } from '../lib/zod/index.ts';

type Copy = (value: unknown) => unknown;
type Schema = z.core.$ZodType;

const mismatch = Symbol('mismatch');

/**
 * Compiles a schema to a function that copies the fields it names, so that no other field leaves. Checks types only;
 * for anything unusual, and for a value that does not fit, the schema itself decides.
 */
export function compileOutput(schema: z.ZodType): Copy {
  const copy = copierOf(schema);
  return (value) => {
    const copied = copy(value);
    return copied === mismatch ? schema.parse(value) : copied;
  };
}

function copierOf(schema: Schema): Copy {
  const { def } = schema._zod as { def: z.core.$ZodTypeDef };
  return def.checks?.length ? decided(schema) : (copiers[def.type]?.(def as never) ?? decided(schema));
}

const decided =
  (schema: Schema): Copy =>
  (value) => {
    const { success, data } = z.safeParse(schema, value);
    return success ? data : mismatch;
  };

const only =
  (fits: (value: unknown) => boolean): Copy =>
  (value) =>
    fits(value) ? value : mismatch;

type Copiers = { [T in z.core.$ZodTypeDef['type']]?: (def: never) => Copy | undefined };
const copiers: Copiers = {
  string: () => only((value) => typeof value === 'string'),
  number: () => only(Number.isFinite),
  boolean: () => only((value) => typeof value === 'boolean'),
  null: () => only((value) => value === null),
  literal: ({ values }: z.core.$ZodLiteralDef<z.core.util.Literal>) => only((value) => values.includes(value as never)),
  enum: ({ entries }: z.core.$ZodEnumDef) => {
    const values = new Set<unknown>(Object.values(entries));
    return only((value) => values.has(value));
  },
  nullable: ({ innerType }: z.core.$ZodNullableDef) => {
    const inner = copierOf(innerType);
    return (value) => (value === null ? null : inner(value));
  },
  optional: ({ innerType }: z.core.$ZodOptionalDef) => {
    const inner = copierOf(innerType);
    return (value) => (value === undefined ? undefined : inner(value));
  },
  union: ({ options }: z.core.$ZodUnionDef) => {
    const inner = options.map(copierOf);
    return (value) => {
      for (const each of inner) {
        const copied = each(value);
        if (copied !== mismatch) return copied;
      }
      return mismatch;
    };
  },
  array: ({ element }: z.core.$ZodArrayDef) => {
    const inner = copierOf(element);
    return (value) => {
      if (!Array.isArray(value)) return mismatch;
      const all: unknown[] = [];
      for (const each of value) {
        const copied = inner(each);
        if (copied === mismatch) return mismatch;
        all.push(copied);
      }
      return all;
    };
  },
  object: ({ shape, catchall }: z.core.$ZodObjectDef) => (catchall ? undefined : objectCopier(shape)),
};

/** Written as code: a literal of all fields is several times as fast as setting them one after the other. */
function objectCopier(shape: z.core.$ZodShape): Copy {
  const names = Object.keys(shape).map((name) => JSON.stringify(name));
  const fields = names.map((name, i) => {
    return `const v${i} = copy${i}(value[${name}]); if (v${i} === mismatch) return mismatch;`;
  });
  const body = `return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return mismatch;
    ${fields.join('\n')}
    return {${names.map((name, i) => `${name}: v${i}`).join()}};
  }`;
  // oxlint-disable-next-line no-new-func, typescript/no-implied-eval -- the names are those of our own schemas
  const make = new Function('mismatch', ...names.map((_, i) => `copy${i}`), body) as (...args: unknown[]) => Copy;
  return make(mismatch, ...Object.values(shape).map(copierOf));
}
