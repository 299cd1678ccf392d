import { exampleFor } from '../files/example-values.ts';
import type { FileReader } from '../files/reader.ts';
import { failParsing } from '../problems.ts';
import { dotenv, rawEnv } from '../values/dotenv.ts';
import type { VariableSource } from '../values/template.ts';
import { entryAt, sourceLineOfEntry, isNull, sourceLineOf, type DictNode, type Node } from '../yaml/nodes.ts';
import type { MappingFields } from './fields.ts';

/** Variables and labels from files. */
export interface ServiceFiles {
  environment: Map<string, string>;
  labels: Map<string, string>;
}

/**
 * Reads the files for variables and labels; later files override earlier ones. A missing file for variables is what
 * the variables of the project stand for: people keep them out of the source.
 */
export async function readServiceFiles(
  service: DictNode,
  reader: FileReader,
  lookup: VariableSource,
  given: Readonly<Record<string, string>>,
): Promise<ServiceFiles> {
  const read = async (key: 'env_file' | 'label_file') => {
    const values = new Map<string, string>();
    const known: VariableSource = (name) => lookup(name) ?? values.get(name);
    // A file that is named twice keeps its first position.
    const files = new Map(filesOf(service, key, reader).map((file) => [file.written, file]));
    for (const { written, node, isRequired, isRaw } of files.values()) {
      const path = reader.locate(node.origin.folder, written, sourceLineOf(node), key);
      const text = await reader.text(path, sourceLineOf(node));
      if (text === undefined && isRequired && key === 'label_file')
        reader.report.error(sourceLineOf(node), `${key}: ${path} does not exist in the source`);
      const isMissing = text === undefined && isRequired && key === 'env_file';
      const found = isMissing
        ? await valuesInstead(path, reader, node, { given, known: values })
        : (isRaw ? rawEnv : dotenv)(text ?? '', path, known);
      for (const [name, value] of found) values.set(name, value);
    }
    return values;
  };
  return { environment: await read('env_file'), labels: await read('label_file') };
}

/** Settings of Docker Compose itself. */
const isSetting = (name: string): boolean => name.startsWith('COMPOSE_');

async function valuesInstead(
  path: string,
  reader: FileReader,
  node: Node,
  { given, known }: { given: Readonly<Record<string, string>>; known: ReadonlyMap<string, string> },
): Promise<Map<string, string>> {
  const example = await exampleFor(reader, path, given);
  const own = Object.entries(given).filter(([name]) => !isSetting(name));
  const missing = example?.missing(given) ?? [];
  reader.report.warn(
    sourceLineOf(node),
    [
      `env_file: ${path} does not exist in the source; the service gets the variables of the project`,
      example ? `, and values of ${example.path} for others` : '',
      missing.length ? `. Not set: ${namesOf(missing)}` : '',
    ].join(''),
  );
  // An example does not override the values of another file.
  return new Map([...(example?.values ?? []), ...known, ...own]);
}

const mostNames = 12;
const namesOf = (names: readonly string[]): string =>
  names.slice(0, mostNames).join(', ') + (names.length > mostNames ? ` and ${names.length - mostNames} more` : '');

interface NamedFile {
  written: string;
  node: Node;
  isRequired: boolean;
  isRaw: boolean;
}

function filesOf(service: DictNode, key: string, reader: FileReader): NamedFile[] {
  const entry = service.entries.get(key);
  if (!entry || isNull(entry.node)) return [];
  const items = entry.node.kind === 'list' ? entry.node.items : [entry.node];
  return items.map((node) => {
    if (node.kind === 'scalar' && node.value !== null)
      return { written: String(node.value), node, isRequired: true, isRaw: false };
    const path = entryAt(node, 'path');
    if (path?.kind !== 'scalar' || path.value === null)
      return failParsing(sourceLineOfEntry(entry), `${key}: each must name a file`);
    const required = entryAt(node, 'required');
    const format = entryAt(node, 'format');
    const isRaw = format?.kind === 'scalar' && format.value === 'raw';
    if (format && !isRaw) reader.report.error(sourceLineOf(format), `${key}: the only supported format is raw`);
    const isRequired = !(required?.kind === 'scalar' && String(required.value) === 'false');
    return { written: String(path.value), node: path, isRequired, isRaw };
  });
}

/** Returns the variables of files and of the service. One without a value is taken from the project. */
export function readEnvironment(
  fields: MappingFields,
  files: ServiceFiles,
  lookup: VariableSource,
): Record<string, string | null> {
  const all = new Map<string, string | null>(files.environment);
  for (const [name, value] of fields.pairs('environment')) {
    if (isSpaced(name))
      fields.wrong('environment', `${name.slice(0, 60)}: there is a space between the name and the equals sign`);
    else if (!name || /[=\0]/.test(name))
      fields.wrong('environment', `${name.slice(0, 60)} is not the name of a variable`);
    else if (value?.includes('\0')) fields.wrong('environment', `${name.slice(0, 60)} contains a NUL character`);
    else all.set(name, value ?? lookup(name) ?? null);
  }
  return Object.fromEntries(all);
}

/** `A = 1` is an error in Docker Compose: the space would belong to the name. */
export const isSpaced = (name: string): boolean => /\s$/.test(name);
