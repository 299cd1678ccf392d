import { failParsing, sourceLineText, type SourceLine } from '../problems.ts';
import { boundedLookup } from '../values/bounded-lookup.ts';
import { dotenv } from '../values/dotenv.ts';
import type { VariableSource } from '../values/template.ts';
import {
  entryAt,
  dictNode,
  sourceLineOfEntry,
  isNull,
  sourceLineOf,
  type DictNode,
  type MappingEntry,
  type Node,
} from '../yaml/nodes.ts';
import { parentFolder, pathFrom } from './paths.ts';
import type { FileReader } from './reader.ts';

const sections = ['services', 'volumes', 'networks', 'configs', 'secrets', 'models'];

/** Loads the files of one project. */
export type LoadFiles = (
  paths: string[],
  folder: string,
  lookup: VariableSource,
  chain: string[],
  place: SourceLine,
) => Promise<DictNode>;

/** Returns the file with its included projects. Each has its own folder and variables. */
export async function withIncludes(
  file: DictNode,
  reader: FileReader,
  lookup: VariableSource,
  chain: string[],
  load: LoadFiles,
): Promise<DictNode> {
  const include = file.entries.get('include');
  if (!include || isNull(include.node)) return file;
  if (include.node.kind !== 'list') return failParsing(sourceLineOfEntry(include), 'include: must be a list');
  let result = dictNode(new Map([...file.entries].filter(([key]) => key !== 'include')), file);
  for (const item of include.node.items) {
    const { paths, folder, envFiles } = target(item, reader);
    const again = paths.find((path) => chain.includes(path));
    if (again) failParsing(sourceLineOf(item), `include: circular reference, ${[...chain, again].join(' -> ')}`);
    const inner = await variables(reader, envFiles, folder, lookup, sourceLineOf(item));
    result = joined(result, await load(paths, folder, inner, chain, sourceLineOf(item)));
  }
  return result;
}

function target(item: Node, reader: FileReader): { paths: string[]; folder: string; envFiles: string[] | undefined } {
  const place = sourceLineOf(item);
  const { folder: from } = item.origin;
  const locate = (written: string) => reader.locate(from, written, place, 'include');
  const written = item.kind === 'dict' ? texts(entryAt(item, 'path')) : texts(item);
  if (!written?.length) return failParsing(place, 'include: must name a file');
  const paths = written.map(locate);
  const [given] = texts(entryAt(item, 'project_directory')) ?? [];
  const envFiles = texts(entryAt(item, 'env_file'))?.map(locate);
  return { paths, folder: given === undefined ? parentFolder(paths[0]!) : locate(given), envFiles };
}

/** Returns the variables of an included project: those of the including one, then its own. */
async function variables(
  reader: FileReader,
  envFiles: string[] | undefined,
  folder: string,
  outer: VariableSource,
  place: SourceLine,
): Promise<VariableSource> {
  const own = new Map<string, string>();
  for (const path of envFiles ?? [pathFrom(folder, '.env').path]) {
    const text = await reader.text(path, place);
    if (text === undefined && envFiles) failParsing(place, `include: ${path} does not exist in the source`);
    const lookup: VariableSource = (name) => outer(name) ?? own.get(name);
    for (const [key, value] of dotenv(text ?? '', path, lookup)) own.set(key, value);
  }
  return boundedLookup((name) => outer(name) ?? own.get(name), place.file);
}

/** Adds the included resources; different definitions of the same name are an error. */
function joined(file: DictNode, included: DictNode): DictNode {
  const entries = new Map<string, MappingEntry>(file.entries);
  for (const section of sections) {
    const added = included.entries.get(section);
    if (added?.node.kind !== 'dict') continue;
    const own = entries.get(section);
    const both = new Map<string, MappingEntry>(own?.node.kind === 'dict' ? own.node.entries : []);
    for (const [name, entry] of added.node.entries) {
      const before = both.get(name);
      if (before && JSON.stringify(plain(before.node)) !== JSON.stringify(plain(entry.node)))
        failParsing(
          sourceLineOfEntry(entry),
          `${section}.${name}: differs from ${sourceLineText(sourceLineOfEntry(before))}`,
        );
      if (!before) both.set(name, entry);
    }
    entries.set(section, { line: own?.line ?? added.line, node: dictNode(both, own?.node ?? added.node) });
  }
  return dictNode(entries, file);
}

const plain = (node: Node): unknown =>
  node.kind === 'scalar'
    ? node.value
    : node.kind === 'list'
      ? node.items.map(plain)
      : [...node.entries].map(([key, entry]) => [key, plain(entry.node)]).sort(([a], [b]) => (a! < b! ? -1 : 1));

function texts(node: Node | undefined): string[] | undefined {
  if (node?.kind === 'scalar') return node.value === null ? undefined : [String(node.value)];
  if (node?.kind !== 'list') return undefined;
  return node.items.map((item) =>
    item.kind === 'scalar' ? String(item.value) : failParsing(sourceLineOf(item), 'must be a string'),
  );
}
