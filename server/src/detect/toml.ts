import { parse } from 'smol-toml';
import type { SourceTree } from './detect.ts';
import { isRecord, type Json } from './records.ts';

// The parser is linear in what it reads; files of this kind are small, so a large one is not worth its time.
const maxCharacters = 256 * 1024;

/** A TOML file; undefined when there is none, empty when it is broken. */
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
    // The tool that the file belongs to says what is wrong with it when it runs.
    return {};
  }
}
