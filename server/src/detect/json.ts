import type { SourceTree } from './detect.ts';
import { isRecord, type Json } from './records.ts';

/** A JSON file of a tool, with the comments and commas that such files have; empty when there is none or it is broken:
 * the tool itself will say so better than we could, and its defaults are as good a guess as any. */
export async function readJson(tree: SourceTree, path: string): Promise<Json> {
  try {
    return parseJson((await tree.read(path)) ?? '{}');
  } catch {
    // See above.
    return {};
  }
}

/** Throws what JSON.parse throws; anything but an object is empty. */
export function parseJson(source: string): Json {
  // Only what begins like an object, or with a comment before it, is worth more than a look.
  const json: unknown = /^\uFEFF?\s*[{/]/.test(source) ? JSON.parse(plainJson(source)) : {};
  return isRecord(json) ? json : {};
}

// Strings are stepped over, because a glob in one looks like a comment. Each part may end with the text, which keeps
// this linear whatever the file has.
const parts = /("(?:\\[^]|[^"\\\n])*"?|'(?:\\[^]|[^'\\\n])*'?|`(?:\\[^]|[^`\\])*`?)|\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*/g;

export const withoutComments = (source: string): string => source.replace(parts, '$1');

// The same for what JSON5 allows beyond that: names without quotes, single quotes, a comma after the last entry.
const tokens = /("(?:\\[^]|[^"\\\n])*"?)|'((?:\\[^]|[^'\\\n])*)'?|([A-Za-z_$][\w$]*)(?=\s{0,99}:)|,(?=\s{0,99}[\]}])/g;

/** JSON5 as far as package files use it. */
const plainJson = (source: string): string =>
  withoutComments(source.replace(/^\uFEFF/, '')).replace(
    tokens,
    (_, double?: string, single?: string, name?: string) =>
      double ?? (single === undefined ? (name === undefined ? '' : `"${name}"`) : quoted(single)),
  );

const quoted = (single: string) => `"${single.replace(/\\'/g, "'").replace(/"/g, '\\"')}"`;
