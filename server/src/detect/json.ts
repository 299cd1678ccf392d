import type { SourceTree } from './detect.ts';
import { isRecord, type Json } from './records.ts';

/**
 * Reads a JSON file of a tool, with comments and trailing commas. Empty if missing or invalid: the tool itself
 * reports the error better, and its defaults apply.
 */
export async function readJson(tree: SourceTree, path: string): Promise<Json> {
  try {
    return parseJson((await tree.read(path)) ?? '{}');
  } catch {
    // The tool reports the error.
    return {};
  }
}

/** Throws the error of JSON.parse; anything but an object is empty. */
export function parseJson(source: string): Json {
  // Only text that begins like an object or comment is parsed.
  const json: unknown = /^\uFEFF?\s*[{/]/.test(source) ? JSON.parse(plainJson(source)) : {};
  return isRecord(json) ? json : {};
}

// Strings are skipped, because a glob in one looks like a comment. Each part may end with the text, which keeps this
// linear.
const parts = /("(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`(?:\\[^]|[^`\\])*`?)|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*/g;

export const withoutComments = (source: string): string => source.replace(parts, '$1');

// The same for JSON5: unquoted names, single quotes, trailing commas.
const tokens = /("(?:\\[^]|[^"\\\n])*"?)|'((?:\\[^]|[^'\\\n])*)'?|([A-Za-z_$][\w$]*)(?=\s{0,99}:)|,(?=\s{0,99}[\]}])/g;

/** Converts JSON5, as far as package files use it. */
const plainJson = (source: string): string =>
  withoutComments(source.replace(/^\uFEFF/, '')).replace(
    tokens,
    (_, double?: string, single?: string, name?: string) =>
      double ?? (single === undefined ? (name === undefined ? '' : `"${name}"`) : quoted(single)),
  );

const quoted = (single: string) => `"${single.replace(/\\'/g, "'").replace(/"/g, '\\"')}"`;
