import { failParsing, ComposeReport, type SourceLine } from '../problems.ts';
import type { VariableSource } from '../values/template.ts';
import { entryAt, sourceLineOf } from '../yaml/nodes.ts';
import { interpolate } from './interpolate.ts';
import type { FileReader } from './reader.ts';

/**
 * Returns the project name from the files; the last one wins. Needed before interpolation, because it is a variable
 * itself.
 */
export async function writtenName(
  reader: FileReader,
  paths: string[],
  folder: string,
  lookup: VariableSource,
): Promise<string | undefined> {
  let name: string | undefined;
  for (const file of paths)
    for (const document of await reader.documents({ file, folder }, { file, line: null })) {
      const written = entryAt(document, 'name');
      // Errors of its variables are reported with all others later.
      const node = written && interpolate(written, lookup, new ComposeReport());
      if (node?.kind !== 'scalar' || !node.value) continue;
      name = checkedProjectName(normalizedProjectName(String(node.value)), sourceLineOf(node));
    }
  return name;
}

/** Normalizes a name as Docker Compose does. */
export const normalizedProjectName = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '');

/** Checks the project name, which becomes part of other names. */
export function checkedProjectName(
  name: string | undefined,
  place: SourceLine = { file: 'COMPOSE_PROJECT_NAME', line: null },
): string | undefined {
  if (name === undefined || /^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) return name;
  return failParsing(place, 'name: must be lower-case letters, digits, dashes and underscores');
}
