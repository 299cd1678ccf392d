import { parse } from 'smol-toml';
import type { SourceTree } from './detect.ts';
import { isRecord, type Json } from './records.ts';

// The parser is linear, but such files are small, so large ones are skipped.
const maxCharacters = 256 * 1024;

/** Reads a TOML file; undefined if missing, empty if invalid. */
export async function readToml(tree: SourceTree, path: string): Promise<Json | undefined> {
  const source = await tree.read(path);
  return source === undefined ? undefined : parseToml(source);
}

export function parseToml(source: string): Json {
  if (source.length > maxCharacters) return {};
  try {
    const toml: unknown = parse(source.replace(/^\uFEFF/, ''));
    return isRecord(toml) ? toml : {};
  } catch {
    // The tool of the file reports the error when it runs.
    return {};
  }
}
