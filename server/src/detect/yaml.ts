import { parse } from 'yaml';
import type { SourceTree } from './detect.ts';
import { isRecord, type Json } from './records.ts';

const maxCharacters = 128 * 1024;

/** Reads a YAML file as a record; empty if missing or invalid. Compose files have a parser of their own. */
export async function readYaml(tree: SourceTree, path: string): Promise<Json> {
  const source = (await tree.read(path)) ?? '';
  if (source.length > maxCharacters) return {};
  try {
    const yaml: unknown = parse(source, { uniqueKeys: false, maxAliasCount: 20, logLevel: 'silent' });
    return isRecord(yaml) ? yaml : {};
  } catch {
    // The file's own tool reports the error.
    return {};
  }
}
