import { failParsing } from '../problems.ts';
import type { VariableSource } from '../values/template.ts';
import { entryAt, dictNode, sourceLineOfEntry, sourceLineOf, type DictNode, type MappingEntry } from '../yaml/nodes.ts';
import { mergeDicts } from './merge.ts';
import { parentFolder } from './paths.ts';
import type { FileReader } from './reader.ts';

/** Longer chains of services are not written by hand. */
const maxChain = 20;

/** Returns the file with all `extends` resolved. */
export async function withExtends(file: DictNode, reader: FileReader, lookup: VariableSource): Promise<DictNode> {
  const services = file.entries.get('services');
  if (services?.node.kind !== 'dict') return file;
  const extending = new Extending(reader, lookup);
  const entries = new Map<string, MappingEntry>();
  for (const [name, entry] of services.node.entries)
    entries.set(name, { line: entry.line, node: await extending.service(file, name, []) });
  const node = dictNode(entries, services.node);
  return dictNode(new Map(file.entries).set('services', { line: services.line, node }), file);
}

class Extending {
  private readonly files = new Map<string, Promise<DictNode>>();
  private readonly reader: FileReader;
  private readonly lookup: VariableSource;

  constructor(reader: FileReader, lookup: VariableSource) {
    this.reader = reader;
    this.lookup = lookup;
  }

  /** Resolves a service of a file; `chain` detects cycles. */
  async service(file: DictNode, name: string, chain: string[]): Promise<MappingEntry['node']> {
    const node = entryAt(file, 'services', name)!;
    if (node.kind !== 'dict') return node;
    const entry = node.entries.get('extends');
    if (!entry) return node;
    const id = `${file.origin.file}: ${name}`;
    if (chain.includes(id))
      failParsing(sourceLineOfEntry(entry), `extends: circular reference, ${[...chain, id].join(' -> ')}`);
    if (chain.length >= maxChain)
      failParsing(sourceLineOfEntry(entry), `extends: more than ${maxChain} services in a chain`);
    const { service, path } = this.target(entry);
    const from = path === undefined ? file : await this.file(path, entry);
    if (!entryAt(from, 'services', service))
      failParsing(sourceLineOfEntry(entry), `extends: there is no service ${service} in ${from.origin.file}`);
    const base = await this.service(from, service, [...chain, id]);
    const own = without(node, 'extends');
    return base.kind === 'dict'
      ? mergeDicts(without(base, 'extends'), own, ['services', name], this.reader.report)
      : own;
  }

  private target(entry: MappingEntry): { service: string; path: string | undefined } {
    const { node } = entry;
    const text = (key: string) => {
      const found = entryAt(node, key);
      return found?.kind === 'scalar' && found.value !== null ? String(found.value) : undefined;
    };
    if (node.kind === 'scalar' && typeof node.value === 'string') return { service: node.value, path: undefined };
    const service = text('service');
    if (service === undefined) return failParsing(sourceLineOf(node), 'extends: must name a service');
    const file = text('file');
    const path =
      file === undefined
        ? undefined
        : this.reader.locate(node.origin.folder, file, sourceLineOfEntry(entry), 'extends');
    return { service, path: path === node.origin.file ? undefined : path };
  }

  private async file(path: string, entry: MappingEntry): Promise<DictNode> {
    const before = this.files.get(path);
    if (before) return await before;
    const now = this.reader.compose(path, parentFolder(path), this.lookup, sourceLineOfEntry(entry));
    this.files.set(path, now);
    return await now;
  }
}

const without = (node: DictNode, key: string): DictNode =>
  dictNode(new Map([...node.entries].filter(([name]) => name !== key)), node);
