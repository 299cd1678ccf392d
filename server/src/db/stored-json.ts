import type { z } from '../lib/zod/index.ts';
import type { Tables } from './tables.ts';

/** `table.column` */
type Column = { [T in keyof Tables]: `${T}.${keyof Tables[T] & string}` }[keyof Tables];

export interface StoredJson<T> {
  (text: string): T;
  (text: string | null): T | null;
}

/** Reads a JSON column. The schema only validates, without defaults or transformations: the value is returned as
 * stored, including unknown keys, because code writes it back. Keys that earlier versions did not write must be
 * optional. Errors name the column and the path, never the value, which may be secret. */
export function storedJson<T>(column: Column, schema: z.ZodType<unknown, T>): StoredJson<T> {
  const read = (text: string | null): T | null => {
    if (text === null) return null;
    const value = parsed(column, text);
    const { error } = schema.safeParse(value);
    if (!error) return value as T;
    const [{ path, code } = { path: [], code: 'custom' }] = error.issues;
    throw new Error(`${column} does not fit its schema at ${path.join('.') || 'the top level'} (${code})`);
  };
  return read as StoredJson<T>;
}

function parsed(column: Column, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new Error(`${column} is not JSON`);
  }
}
