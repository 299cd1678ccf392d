import { isAlias, isScalar, isSeq, Scalar, type Alias, type Document, type ParsedNode, type YAMLMap } from 'yaml';
import { failParsing } from '../problems.ts';
import {
  dictNode,
  listNode,
  scalarNode,
  type DictNode,
  type MappingEntry,
  type Node,
  type NodeOrigin,
} from './nodes.ts';
import { isDate, plainScalar } from './plain-scalar.ts';

/** Includes expanded aliases; hand-written files have a few hundred. */
const maxNodes = 50_000;

const mergeTag = 'tag:yaml.org,2002:merge';
const tags = new Map<string, 'reset' | 'override' | 'text' | 'plain'>([
  ['!reset', 'reset'],
  ['!override', 'override'],
  ['!', 'text'],
  ['tag:yaml.org,2002:str', 'text'],
  ...['int', 'float', 'bool', 'null', 'map', 'seq', 'merge'].map(
    (name) => [`tag:yaml.org,2002:${name}`, 'plain'] as const,
  ),
]);

/** Converts a document of the library to our nodes; undefined if it is empty. */
export function documentNode(
  document: Document.Parsed,
  origin: NodeOrigin,
  lineAt: (offset: number) => number,
): Node | undefined {
  return document.contents ? new Conversion(origin, lineAt).node(document.contents) : undefined;
}

class Conversion {
  private readonly anchors = new Map<string, Node | 'begun'>();
  private count = 0;
  private readonly origin: NodeOrigin;
  private readonly lineAt: (offset: number) => number;

  constructor(origin: NodeOrigin, lineAt: (offset: number) => number) {
    this.origin = origin;
    this.lineAt = lineAt;
  }

  node(given: ParsedNode): Node {
    if (isAlias(given)) return this.aliased(given);
    const { anchor } = given;
    if (anchor) this.anchors.set(anchor, 'begun');
    const node = this.create(given);
    if (anchor) this.anchors.set(anchor, node);
    return node;
  }

  /** Resolves an alias. The library would search the whole document for each. */
  private aliased(given: Alias.Parsed): Node {
    const found = this.anchors.get(given.source);
    if (!found) return this.stop(given, `*${given.source.slice(0, 60)}: there is no such anchor before it`);
    if (found === 'begun') return this.stop(given, `*${given.source.slice(0, 60)} refers to itself`);
    this.add(given, found.size);
    return found;
  }

  private create(given: Exclude<ParsedNode, Alias.Parsed>): Node {
    this.add(given, 1);
    const kind = given.tag === undefined ? undefined : tags.get(given.tag);
    if (given.tag !== undefined && !kind)
      this.stop(given, `${given.tag.slice(0, 60)}: only the tags !reset and !override are supported`);
    const tag = kind === 'reset' || kind === 'override' ? { tag: kind } : {};
    const where = { origin: this.origin, line: this.lineOf(given), ...tag };
    if (isSeq(given))
      return listNode(
        given.items.map((item) => this.node(item as ParsedNode)),
        where,
      );
    if (!isScalar(given)) return dictNode(this.entries(given as YAMLMap.Parsed), where);
    const text = textOf(given.value);
    const isPlain = (given.type === Scalar.PLAIN && kind !== 'text') || given.type === undefined;
    const node = scalarNode(isPlain ? plainScalar(text) : text, where);
    return isPlain && isDate(text) ? { ...node, isDate: true } : node;
  }

  private entries(map: YAMLMap.Parsed): Map<string, MappingEntry> {
    const entries = new Map<string, MappingEntry>();
    let merged: readonly DictNode[] | undefined;
    for (const { key, value } of map.items) {
      if (!isScalar(key)) return this.stop((key ?? map) as ParsedNode, 'a key must be a string');
      // The library uses its own symbol for a `!!merge` key.
      const isMerge = key.source === '<<' && key.type === Scalar.PLAIN && (!key.tag || key.tag === mergeTag);
      const name = isMerge ? '<<' : textOf(key.value);
      if (isMerge ? merged : entries.has(name)) this.stop(key, `${name.slice(0, 60)}: the key appears twice`);
      if (!value) this.add(key, 1);
      const line = this.lineOf(key);
      const node = value ? this.node(value) : scalarNode(null, { origin: this.origin, line });
      if (isMerge) merged = mergeSources(node) ?? this.stop(key, '<<: only mappings can be merged');
      else entries.set(name, { line, node });
    }
    // Own keys take precedence, then the first merged mapping.
    for (const each of merged ?? [])
      for (const [name, entry] of each.entries) if (!entries.has(name)) entries.set(name, entry);
    return entries;
  }

  private add(given: ParsedNode, size: number): void {
    this.count += size;
    if (this.count > maxNodes) this.stop(given, `more than ${maxNodes} values, aliases counted`);
  }

  private lineOf(given: ParsedNode): number {
    return this.lineAt(given.range[0]);
  }

  private stop(given: ParsedNode, message: string): never {
    return failParsing({ file: this.origin.file, line: this.lineOf(given) }, message);
  }
}

/** With the failsafe schema every scalar is a string. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function mergeSources(node: Node): readonly DictNode[] | undefined {
  if (node.kind === 'dict') return [node];
  const items = node.kind === 'list' ? node.items.filter((item) => item.kind === 'dict') : [];
  return node.kind === 'list' && items.length === node.items.length ? items : undefined;
}
