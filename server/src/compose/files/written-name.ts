import { fail, ComposeReport, type SourceLine } from '../problems.ts';
import type { VariableSource } from '../values/template.ts';
import { at, sourceLineOf } from '../yaml/nodes.ts';
import { interpolate } from './interpolate.ts';
import type { FileReader } from './reader.ts';

/** The name that the files give their project; the last of them counts. It is needed before their variables are filled in,
 * because it is one of them. */
export async function writtenName(
  reader: FileReader,
  paths: string[],
  folder: string,
  lookup: VariableSource,
): Promise<string | undefined> {
  let name: string | undefined;
  for (const file of paths)
    for (const document of await reader.documents({ file, folder }, { file, line: null })) {
      const written = at(document, 'name');
      // What is wrong with its variables is said when all of them are filled in.
      const node = written && interpolate(written, lookup, new ComposeReport());
      if (node?.kind !== 'scalar' || !node.value) continue;
      name = checkedProjectName(nameFrom(String(node.value)), sourceLineOf(node));
    }
  return name;
}

/** As Docker Compose makes a name of what is written in a file, or of a folder's name. */
export const nameFrom = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '');

/** The name of a project becomes a part of other names. */
export function checkedProjectName(
  name: string | undefined,
  place: SourceLine = { file: 'COMPOSE_PROJECT_NAME', line: null },
): string | undefined {
  if (name === undefined || /^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) return name;
  return fail(place, 'name: must be lower-case letters, digits, dashes and underscores');
}
